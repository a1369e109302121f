//! Pressures on faces of a body.

use super::body::{BodyBuilder, BodyWriter};
use super::conditions::FacePressure;
use crate::draft::Region;
use crate::ron::{Field, Ron, word};
use std::collections::BTreeSet;

/// Corners of a face by deck numbers.
type Face = [u64; 3];

/// Pressures of one magnitude and amplitude on different faces of a body.
struct EqualPressures<'a> {
    loads: Vec<(&'a FacePressure, Vec<Face>)>,
    /// Elements and indices of all faces.
    loaded: BTreeSet<(u64, usize)>,
}

impl<'a> EqualPressures<'a> {
    /// Whether a pressure has the same magnitude and amplitude, and none of the faces.
    fn accepts(&self, pressure: &FacePressure) -> bool {
        let (first, _) = &self.loads[0];
        first.value == pressure.value
            && first.amplitude == pressure.amplitude
            && !pressure.faces.iter().any(|face| self.loaded.contains(face))
    }

    /// Adds a pressure on these faces.
    fn add(&mut self, pressure: &'a FacePressure, faces: Vec<Face>) {
        self.loaded.extend(&pressure.faces);
        self.loads.push((pressure, faces));
    }

    /// Groups of the scene with the faces that each of them selects alone: one for all loads if that is possible, or else
    /// parts of them.
    fn groups(&self, builder: &BodyBuilder) -> Vec<(String, Vec<Face>)> {
        let component = &builder.component;
        let name = match &self.loads[..] {
            [(load, _)] => load.name.clone(),
            [(load, _), ..] => format!("{} and others", load.name),
            [] => String::new(),
        };
        let faces: Vec<Face> = self.loads.iter().flat_map(|(_, faces)| faces.clone()).collect();
        let parts = match component.selects_alone(&faces) {
            true => vec![faces],
            false => component.selectable_parts(&faces),
        };
        parts.into_iter().map(|part| (name.clone(), part)).collect()
    }
}

impl BodyWriter<'_> {
    /// Converts pressures on element faces of the body to terms `SurfacePressure` on new groups: one for each surface of
    /// `*DSLOAD`, and one for all loads of equal magnitude otherwise. Refuses face numbers that an element does not have,
    /// and faces inside the body.
    pub(super) fn pressures(&mut self, builder: &mut BodyBuilder) -> Vec<Ron> {
        let deck = self.deck;
        let mut equal_pressures: Vec<EqualPressures<'_>> = Vec::new();
        for pressure in &deck.conditions.pressures {
            let faces = self.faces_of(builder, pressure);
            if faces.is_empty() {
                continue;
            }
            let is_separate = deck.cards[pressure.card].keyword == "DSLOAD"
                && builder.component.selects_alone(&faces);
            let equal = equal_pressures.iter_mut().find(|equal| equal.accepts(pressure));
            match equal.filter(|_| !is_separate) {
                Some(equal) => equal.add(pressure, faces),
                None => {
                    let mut equal = EqualPressures { loads: Vec::new(), loaded: BTreeSet::new() };
                    equal.add(pressure, faces);
                    equal_pressures.push(equal);
                }
            }
        }
        let mut terms = Vec::new();
        for equal in equal_pressures {
            let (pressure, _) = equal.loads[0];
            for (name, faces) in equal.groups(builder) {
                let name = builder.names.unique(&name);
                builder.component.add_faces(&name, &faces);
                terms.push(self.surface_pressure(pressure, name));
            }
        }
        terms
    }

    /// Corners of the faces of the body on which a pressure acts. Refuses face numbers that an element does not have,
    /// and faces inside the body.
    fn faces_of(&mut self, builder: &BodyBuilder, pressure: &FacePressure) -> Vec<Face> {
        let component = &builder.component;
        let mut faces = Vec::new();
        for (element, face) in &pressure.faces {
            if component.elements.binary_search(element).is_err() {
                continue;
            }
            let refusal = match self.deck.model.face_corners(*element, *face) {
                Some(corners) if component.has_surface_face(corners) => {
                    faces.push(corners);
                    continue;
                }
                Some(_) => format!(
                    "the face {} of element {element} in `{}` is inside the body",
                    face + 1,
                    pressure.name
                ),
                None => format!("element {element} has no face {}", face + 1),
            };
            self.deck.cards[pressure.card].refuse(self.findings, refusal);
        }
        faces
    }

    /// The term of a pressure on a group of faces.
    fn surface_pressure(&self, pressure: &FacePressure, group: String) -> Ron {
        let mut fields = vec![
            Field::new("pressure", pressure.value),
            Field::new("region", Region::Group(group).ron()),
        ];
        if !self.deck.procedure.nonlinear {
            fields.push(Field::new("follows", word("false")));
        }
        fields.extend(self.factor(pressure.amplitude.as_ref()));
        Ron::Struct("SurfacePressure", fields)
    }
}
