//! Conversion between the units of a text and SI units.
//!
//! The conversion shifts the decimal points of the numbers in a copy of the text. The types that the reader expects
//! give each number its field, and the [`Quantity`] of the field its dimension. Defaults are not in the text, so they
//! are in SI units in every system of units.

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
    /// Converts the numbers in the text of a valid scene, except for stiffnesses of springs, which
    /// [`convert_springs`](Self::convert_springs) converts. A text without a tree is returned unchanged.
    pub(super) fn convert_text(self, form: Form, text: &str) -> String {
        let mut converter = NumberConverter { conversion: self, form, text, numbers: Vec::new() };
        if let Some(tree) = form.tree(text) {
            converter.visit_value(
                &tree,
                Some(Expected::root()),
                Context { quantity: None, index: 0 },
            );
        }
        let (mut converted, mut end) = (String::new(), 0);
        for (range, number) in converter.numbers {
            converted += &text[end..range.start];
            converted += &number;
            end = range.end;
        }
        converted + &text[end..]
    }

    /// Converts the number at `index` of the list of a field; without a dimension it is unchanged.
    fn convert_number(self, value: f64, measure: Measure, index: usize) -> f64 {
        match (self, measure.at(index)) {
            (_, None) => value,
            (Self::FromText(units), Some(dimension)) => units.to_si(value, dimension),
            (Self::ToText(units), Some(dimension)) => units.of_si(value, dimension),
        }
    }

    /// Converts stiffnesses of springs, whose unit depends on their law.
    pub(super) fn convert_springs(self, scene: &mut Scene) {
        let convert = |law: SpringLaw, stiffness: &mut f64| {
            let measure = match law {
                SpringLaw::Hooke => Measure::from_label("(N/m)"),
                SpringLaw::StVK => Measure::from_label("(N/m^3)"),
            };
            *stiffness = self.convert_number(*stiffness, measure.unwrap_or_default(), 0);
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

/// What determines the dimension of a number.
#[derive(Debug, Clone, Copy)]
struct Context {
    /// The quantity of the field that contains the number.
    quantity: Option<&'static Quantity>,
    /// The index of the number in the innermost list.
    index: usize,
}

/// Traverses a tree and converts its numbers.
struct NumberConverter<'t> {
    conversion: Conversion,
    form: Form,
    text: &'t str,
    /// The range and the new text of each changed number, in the order of the text.
    numbers: Vec<(Range<usize>, String)>,
}

impl NumberConverter<'_> {
    /// Converts the numbers of a value and of all values inside it.
    fn visit_value(&mut self, node: &Node, expected: Option<Expected<'_>>, context: Context) {
        let expected = expected.map(Expected::present);
        match (node.tag.as_deref(), &node.children[..], expected) {
            (_, [], _) => self.convert_scalar(node, context),
            (Some("Some"), [only], _) => self.visit_value(&only.node, expected, context),
            (_, _, Some(Expected::Fields(owner))) => self.visit_fields(node, owner, context),
            (_, _, Some(Expected::Value(Type::Named(owner)))) => {
                self.visit_variant(node, owner, context);
            }
            (_, children, _) => {
                let is_list = node.kind == NodeKind::Sequence;
                for (index, child) in children.iter().enumerate() {
                    let kind = match expected {
                        Some(Expected::Value(Type::List(kind) | Type::Map(kind))) => Some(&**kind),
                        Some(Expected::Value(Type::Tuple(kinds))) => kinds.get(index),
                        _ => None,
                    };
                    let index = if is_list { index } else { context.index };
                    self.visit_value(
                        &child.node,
                        kind.map(Expected::Value),
                        Context { index, ..context },
                    );
                }
            }
        }
    }

    /// Converts the fields of a struct or of a variant, `Shape::Box`.
    fn visit_fields(&mut self, node: &Node, owner: &str, context: Context) {
        for Child { key, node } in &node.children {
            let Some((name, _)) = key else { continue };
            self.visit_field(node, owner, name, Expected::field(owner, name), context);
        }
    }

    /// Converts the field `name` of a struct or of a variant.
    fn visit_field(
        &mut self,
        node: &Node,
        owner: &str,
        name: &str,
        expected: Option<Expected<'_>>,
        enclosing: Context,
    ) {
        let (type_name, variant) = owner.split_once("::").unwrap_or((owner, ""));
        let quantity = quantity_within(enclosing.quantity, [type_name, variant], name);
        self.visit_value(node, expected, Context { quantity, index: 0 });
    }

    /// Converts the content of a variant: `Name(...)` in RON, `{"Name": ...}` in JSON.
    fn visit_variant(&mut self, node: &Node, owner: &str, context: Context) {
        let (name, content) = match (self.form, &node.tag, &node.children[..]) {
            (Form::Ron, Some(name), [Child { key: None, node: only }]) => (name, only),
            (Form::Ron, Some(name), _) => (name, node),
            (Form::Json, _, [Child { key: Some((name, _)), node }]) => (name, node),
            _ => return,
        };
        match Expected::content(owner, name) {
            Some(Expected::Fields(owner)) => self.visit_fields(content, owner, context),
            kind => self.visit_field(content, &format!("{owner}::{name}"), "0", kind, context),
        }
    }

    /// Converts a scalar if it is a number whose field has a quantity.
    fn convert_scalar(&mut self, node: &Node, context: Context) {
        let written = &self.text[node.span.clone()];
        let (Some(quantity), Ok(value)) = (context.quantity, ron::from_str::<f64>(written)) else {
            return;
        };
        let converted = self.conversion.convert_number(value, quantity.measure, context.index);
        if converted.to_bits() != value.to_bits() {
            // JSON has no infinity, but a number that is too large is read as infinity.
            let number = match converted.is_finite() {
                true => format!("{converted:?}"),
                false => format!("{}e999", converted.signum()),
            };
            self.numbers.push((node.span.clone(), number));
        }
    }
}
