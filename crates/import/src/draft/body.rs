//! Elastic bodies.

use super::Hold;
use crate::pose::Pose;
use crate::ron::{Field, Ron, quoted, remove_rounding, word};

/// An elastic body from a mesh file.
#[derive(Debug, Clone, PartialEq, Default)]
pub(crate) struct DraftBody {
    pub(crate) name: String,
    /// Comment on the name.
    pub(crate) comment: Option<String>,
    /// Path of the mesh, relative to the scene file.
    pub(crate) file: String,
    /// Whether the elements are quadratic; otherwise they are linear, with lumped masses.
    pub(crate) quadratic: bool,
    /// Name of the material.
    pub(crate) material: String,
    /// Names of mesh groups and of their materials.
    pub(crate) group_materials: Vec<(String, String)>,
    pub(crate) pose: Pose,
    /// Initial velocity (m/s).
    pub(crate) velocity: [f64; 3],
    /// Initial angular velocity (rad/s).
    pub(crate) angular_velocity: [f64; 3],
    /// Expressions of the initial velocity (m/s) by the position, in scene syntax.
    pub(crate) velocity_field: Option<Ron>,
    /// Expressions of the initial displacement (m) by the position, in scene syntax.
    pub(crate) displacement: Option<Ron>,
    pub(crate) friction: f64,
    pub(crate) holds: Vec<Hold>,
    /// Loads and other energy terms, in scene syntax.
    pub(crate) terms: Vec<Ron>,
    /// Damping terms, in scene syntax.
    pub(crate) damping: Vec<Ron>,
    /// Counts and spacing (m) of a grid of copies.
    pub(crate) grid: Option<([u32; 3], [f64; 3])>,
}

impl DraftBody {
    /// The body in scene syntax. The coefficient of friction is left out if the scene has no contact.
    pub(super) fn ron(&self, has_contact: bool) -> Ron {
        let mut fields = self.shape_and_material();
        fields.extend(self.initial_state());
        if has_contact {
            fields.push(Field::new("friction", self.friction));
        }
        let lists = [
            ("hold", self.holds.iter().map(Hold::ron).collect::<Vec<_>>()),
            ("terms", self.terms.clone()),
            ("damping", self.damping.clone()),
        ];
        let lists = lists.into_iter().filter(|(_, list)| !list.is_empty());
        fields.extend(lists.map(|(name, list)| Field::new(name, list)));
        if let Some((counts, spacing)) = self.grid {
            let counts = counts.map(|count| count.to_string()).join(", ");
            let grid = vec![
                Field::new("counts", Ron::Raw(format!("({counts})"))),
                Field::new("spacing", remove_rounding(spacing)),
            ];
            fields.push(Field::new("repeat", Ron::Struct("Grid", grid)));
        }
        Ron::Struct("", fields)
    }

    /// The fields of the name, the mesh and the materials.
    fn shape_and_material(&self) -> Vec<Field> {
        let mut name = Field::new("name", quoted(&self.name));
        name.comment.clone_from(&self.comment);
        let shape = Ron::Tagged("File", Box::new(quoted(&self.file)));
        let mut fields = vec![name, Field::new("shape", shape)];
        match self.quadratic {
            true => fields.push(Field::new("elements", word("Quadratic"))),
            false => fields.push(Field::new("masses", word("Lumped"))),
        }
        fields.push(Field::new("material", quoted(&self.material)));
        if !self.group_materials.is_empty() {
            let groups = self.group_materials.iter();
            let groups = groups.map(|(group, material)| (group.clone(), quoted(material)));
            fields.push(Field::new("group_materials", Ron::Map(groups.collect())));
        }
        fields
    }

    /// The fields of the placement, the initial velocity and the initial displacement, without those that are zero.
    fn initial_state(&self) -> Vec<Field> {
        let mut fields = Vec::new();
        fields.extend(self.pose.ron().map(|pose| Field::new("placement", pose)));
        for (name, value) in
            [("velocity", self.velocity), ("angular_velocity", self.angular_velocity)]
        {
            if value != [0.0; 3] {
                fields.push(Field::new(name, value));
            }
        }
        if let Some(velocity) = &self.velocity_field {
            let field = Ron::Tagged("Expression", Box::new(velocity.clone()));
            fields.push(Field::new("velocity_field", field));
        }
        fields.extend(
            self.displacement.clone().map(|displacement| Field::new("displacement", displacement)),
        );
        fields
    }
}
