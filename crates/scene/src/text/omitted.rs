//! Physical fields that a text omits, with the values of their defaults.

use super::tree::{Node, NodeKind};
use super::{Form, SceneText};
use crate::description::{Contact, DEFAULT_FRICTION, Scene};
use std::fmt::Write as _;

/// A field that a text omits.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OmittedField {
    path: String,
    /// The default in RON and in the units of the text.
    value: String,
    /// The offset in the text at which the field can be inserted.
    offset: usize,
    /// What separates the field from the text before that offset.
    separator: &'static str,
}

impl SceneText {
    /// The fields of gravity, friction, contact, integrator and time step that the text of a scene omits, as `path:
    /// value` with values in RON in the units of the text; friction of all bodies is one entry. A text of version 1
    /// omits none.
    pub fn defaults(&self, scene: &Scene) -> Vec<String> {
        let (friction, others): (Vec<_>, Vec<_>) =
            self.omitted(scene).into_iter().partition(|field| field.path.ends_with("friction"));
        let mut defaults: Vec<_> =
            others.iter().map(|field| format!("{}: {}", field.path, field.value)).collect();
        if let [first, ..] = &friction[..] {
            let count = friction.len();
            let noun = if count == 1 { "surface" } else { "surfaces" };
            defaults.push(format!("friction of {count} {noun}: {}", first.value));
        }
        defaults
    }

    /// The text [in RON](Self::to_ron) with the [omitted fields](Self::defaults) inserted. A text in JSON that is no
    /// scene gives `scene` with all its fields.
    pub fn with_defaults(&self, scene: &Scene) -> String {
        if self.form == Form::Json {
            let text = self.to_ron().map(|ron| Self::in_form(Form::Ron, &self.file, &ron));
            return text.map_or_else(|| scene.to_ron(), |text| text.with_defaults(scene));
        }
        let mut omitted = self.omitted(scene);
        omitted.sort_by_key(|field| field.offset);
        let (mut text, mut end) = (String::new(), 0);
        for OmittedField { path, value, offset, separator } in omitted {
            text.push_str(&self.text[end..offset]);
            let name = path.rsplit('.').next().unwrap_or(&path);
            let _ = write!(text, "{separator}{name}: {value}");
            // A second field at the same offset follows the first.
            end = offset;
        }
        text + &self.text[end..]
    }

    /// The omitted fields; none for a text of version 1 or with invalid syntax.
    fn omitted(&self, scene: &Scene) -> Vec<OmittedField> {
        let Some(tree) = self.tree().filter(|_| std::ptr::eq(self.current(), self)) else {
            return Vec::new();
        };
        let tree = tree.unwrapped();
        let mut omitted = OmittedFields { fields: Vec::new() };
        let [x, y, z] = scene.gravity.map(|g| scene.units.number(g, "m/s^2"));
        omitted.add_if_absent(tree, "", "gravity", || format!("({x}, {y}, {z})"));
        omitted.add_if_absent(tree, "", "integrator", || "ASearch()".to_owned());
        if let Some(time) = tree.child("time") {
            omitted
                .add_if_absent(time.node.unwrapped(), "time.", "step", || "\"1/120\"".to_owned());
        }
        omitted.add_contact(tree, scene);
        omitted.add_friction(tree, scene);
        omitted.fields
    }
}

/// Collects omitted fields.
struct OmittedFields {
    fields: Vec<OmittedField>,
}

impl OmittedFields {
    /// Adds the field `name` of the struct `node` if it is absent; `path` is the path of the struct with a final dot.
    fn add_if_absent(&mut self, node: &Node, path: &str, name: &str, value: impl Fn() -> String) {
        if node.kind == NodeKind::Scalar || node.child(name).is_some() {
            return;
        }
        let is_first =
            node.children.is_empty() && !self.fields.iter().any(|f| f.offset == node.inner.start);
        let (offset, separator) = match node.children.last() {
            Some(last) => (last.node.span.end, ", "),
            None if is_first => (node.inner.start, ""),
            None => (node.inner.start, ", "),
        };
        let path = format!("{path}{name}");
        self.fields.push(OmittedField { path, value: value(), offset, separator });
    }

    /// Adds `contact`, or those of its fields that are absent.
    fn add_contact(&mut self, tree: &Node, scene: &Scene) {
        let Contact::Barrier { d_hat, kappa, friction_rule, .. } = &scene.contact else { return };
        let kappa = kappa.unwrap_or_else(|| scene.default_kappa());
        let si_values = [(*d_hat, "m"), (kappa, "Pa")];
        let [d_hat, kappa] = si_values.map(|(value, unit)| scene.units.number(value, unit));
        let fields = [
            ("d_hat", d_hat.to_string()),
            ("kappa", format!("{kappa:e}")),
            ("friction_rule", format!("{friction_rule:?}")),
        ];
        match tree.child("contact") {
            Some(contact) => {
                for (name, value) in fields {
                    self.add_if_absent(contact.node.unwrapped(), "contact.", name, || {
                        value.clone()
                    });
                }
            }
            None => {
                let fields = fields.map(|(name, value)| format!("{name}: {value}"));
                self.add_if_absent(tree, "", "contact", || {
                    format!("Barrier({})", fields.join(", "))
                });
            }
        }
    }

    /// Adds the friction of bodies and obstacles that have the default and do not state it.
    fn add_friction(&mut self, tree: &Node, scene: &Scene) {
        let bodies = scene.bodies.iter().map(|body| body.friction).collect::<Vec<_>>();
        let obstacles = scene.obstacles.iter().map(|obstacle| obstacle.friction()).collect();
        for (list_name, frictions) in [("bodies", bodies), ("obstacles", obstacles)] {
            let Some(items) = tree.child(list_name) else { continue };
            for (index, (item, friction)) in
                items.node.unwrapped().children.iter().zip(frictions).enumerate()
            {
                if friction == Some(DEFAULT_FRICTION) {
                    let path = format!("{list_name}[{index}].");
                    self.add_if_absent(item.node.unwrapped(), &path, "friction", || {
                        DEFAULT_FRICTION.to_string()
                    });
                }
            }
        }
    }
}
