//! Conversion between the units of a text and SI units.
//!
//! The conversion shifts the decimal points of the numbers in a copy of the text. The types that the reader expects give
//! each number its field, and the [`Quantity`] of the field its dimension. Defaults are not in the text, so they are in SI
//! units in every system of units.

use super::Form;
use super::tree::{Child, Node, NodeKind};
use super::typed::Expected;
use crate::description::{Kind, Measure, Quantity, Scene, SpringLaw, Term, Units, quantity_within};
use crate::schema::Type;
use std::ops::Range;

/// Direction of the conversion.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Conversion {
    /// Numbers are written in these units and read in SI.
    FromText(Units),
    /// Numbers are in SI and are to be written in these units.
    ToText(Units),
}

impl Conversion {
    /// The text of a valid scene with converted numbers, except for stiffnesses of [springs](Self::springs). A text without
    /// a tree is returned as it is.
    pub(super) fn text(self, form: Form, text: &str) -> String {
        let mut numbers = ConvertedNumbers { conversion: self, form, text, numbers: Vec::new() };
        if let Some(tree) = form.tree(text) {
            numbers.value(&tree, Some(Expected::root()), Place { quantity: None, index: 0 });
        }
        let (mut converted, mut end) = (String::new(), 0);
        for (range, number) in numbers.numbers {
            converted += &text[end..range.start];
            converted += &number;
            end = range.end;
        }
        converted + &text[end..]
    }

    fn convert(self, value: f64, measure: Measure, place: usize) -> f64 {
        match (self, measure.at(place)) {
            (_, None) => value,
            (Self::FromText(units), Some(dimension)) => units.to_si(value, dimension),
            (Self::ToText(units), Some(dimension)) => units.of_si(value, dimension),
        }
    }

    /// Converts stiffnesses of springs, whose unit depends on their law.
    pub(super) fn springs(self, scene: &mut Scene) {
        let convert = |law: SpringLaw, stiffness: &mut f64| {
            let measure = match law {
                SpringLaw::Hooke => Measure::from_label("(N/m)"),
                SpringLaw::StVK => Measure::from_label("(N/m^3)"),
            };
            *stiffness = self.convert(*stiffness, measure.unwrap_or_default(), 0);
        };
        for body in &mut scene.bodies {
            if let Kind::Springs { structural, shear, bending, law, .. } = &mut body.kind {
                for stiffness in [structural, shear, bending] {
                    convert(*law, stiffness);
                }
            }
            for term in &mut body.terms {
                if let Term::Springs { stiffness, law, .. } = term {
                    convert(*law, stiffness);
                }
            }
        }
    }
}

/// The place of a value.
#[derive(Debug, Clone, Copy)]
struct Place {
    /// The quantity of the field around it.
    quantity: Option<&'static Quantity>,
    /// The index in the innermost list.
    index: usize,
}

/// Converted numbers in the order of the text.
struct ConvertedNumbers<'t> {
    conversion: Conversion,
    form: Form,
    text: &'t str,
    numbers: Vec<(Range<usize>, String)>,
}

impl ConvertedNumbers<'_> {
    fn value(&mut self, node: &Node, expected: Option<Expected<'_>>, place: Place) {
        let expected = expected.map(Expected::present);
        match (node.tag.as_deref(), &node.children[..], expected) {
            (_, [], _) => self.number(node, place),
            (Some("Some"), [only], _) => self.value(&only.node, expected, place),
            (_, _, Some(Expected::Fields(owner))) => self.fields(node, owner, place),
            (_, _, Some(Expected::Value(Type::Named(owner)))) => {
                self.alternative(node, owner, place);
            }
            (_, children, _) => {
                let is_list = node.kind == NodeKind::Sequence;
                for (index, child) in children.iter().enumerate() {
                    let kind = match expected {
                        Some(Expected::Value(Type::List(kind) | Type::Names(kind))) => {
                            Some(&**kind)
                        }
                        Some(Expected::Value(Type::Tuple(kinds))) => kinds.get(index),
                        _ => None,
                    };
                    let index = if is_list { index } else { place.index };
                    self.value(&child.node, kind.map(Expected::Value), Place { index, ..place });
                }
            }
        }
    }

    /// The fields of a struct or of an alternative, `Shape::Box`.
    fn fields(&mut self, node: &Node, owner: &str, place: Place) {
        for Child { key, node } in &node.children {
            let Some((name, _)) = key else { continue };
            self.field(node, owner, name, Expected::field(owner, name), place);
        }
    }

    fn field(
        &mut self,
        node: &Node,
        owner: &str,
        name: &str,
        expected: Option<Expected<'_>>,
        around: Place,
    ) {
        let (of, variant) = owner.split_once("::").unwrap_or((owner, ""));
        let quantity = quantity_within(around.quantity, [of, variant], name);
        self.value(node, expected, Place { quantity, index: 0 });
    }

    /// An alternative with content: `Name(...)` in RON, `{"Name": ...}` in JSON.
    fn alternative(&mut self, node: &Node, owner: &str, place: Place) {
        let (name, content) = match (self.form, &node.tag, &node.children[..]) {
            (Form::Ron, Some(name), [Child { key: None, node: only }]) => (name, only),
            (Form::Ron, Some(name), _) => (name, node),
            (Form::Json, _, [Child { key: Some((name, _)), node }]) => (name, node),
            _ => return,
        };
        match Expected::content(owner, name) {
            Some(Expected::Fields(owner)) => self.fields(content, owner, place),
            kind => self.field(content, &format!("{owner}::{name}"), "0", kind, place),
        }
    }

    /// A number, unless the scalar is a word or a text.
    fn number(&mut self, node: &Node, place: Place) {
        let written = &self.text[node.span.clone()];
        let (Some(quantity), Ok(value)) = (place.quantity, ron::from_str::<f64>(written)) else {
            return;
        };
        let converted = self.conversion.convert(value, quantity.measure, place.index);
        if converted.to_bits() != value.to_bits() {
            // Infinity is not written in JSON, but read from a number that is too large.
            let number = match converted.is_finite() {
                true => format!("{converted:?}"),
                false => format!("{}e999", converted.signum()),
            };
            self.numbers.push((node.span.clone(), number));
        }
    }
}
