//! Meshes of the bodies of a run: surfaces, springs as thin cylinders, particles as spheres, elastic rods with
//! their thickness.

use super::solids::{SolidPoint, add_bead, add_rod};
use super::{Coloring, FilmOptions};
use crate::color;
use crate::overlay::ColorBar;
use crate::picture::{Mesh, Paint};
use glam::Vec3;
use resile_mesh::{Creases, FaceList};
use resile_record::{PlayedBody, PlayedFrame, PointField, Role, StillBody, VertexScalar};

/// Radius of drawn springs, relative to the mean edge length of their body.
const RELATIVE_ROD_RADIUS: f32 = 0.05;
/// Smallest and largest radius of drawn springs, relative to the radius of the stage.
const ROD_RADIUS_RANGE: [f32; 2] = [0.0025, 0.015];
/// Radius of beads, relative to that of springs.
const RELATIVE_BEAD_RADIUS: f32 = 2.2;

/// Drawing data of a body.
#[derive(Debug)]
pub(super) struct Model {
    body: PlayedBody,
    /// Creases of its triangles, whose vertex indices count the vertices of the body.
    creases: Creases,
    /// Index among the coloured bodies.
    color_index: usize,
    /// Radius of the cylinders that show its edges (m).
    rod_radius: f32,
    /// Whether its triangles enclose a solid.
    is_solid: bool,
}

impl Model {
    /// Model of a body. `positions` are those of all vertices of a frame (m), in which creases and the mean edge length
    /// are determined; `color_index` selects its colour, and `stage_radius` (m) bounds the radius of drawn springs.
    pub(super) fn new(
        body: &PlayedBody,
        positions: &[[f32; 3]],
        color_index: usize,
        stage_radius: f32,
    ) -> Self {
        let points: Vec<Vec3> = positions.iter().map(|&p| p.into()).collect();
        let length = |[a, b]: &[u32; 2]| points[*a as usize].distance(points[*b as usize]);
        let mean_length =
            body.edges.iter().map(length).sum::<f32>() / body.edges.len().max(1) as f32;
        let [min_radius, max_radius] = ROD_RADIUS_RANGE.map(|factor| factor * stage_radius);
        let drawn_radius = match body.edges.is_empty() {
            true => max_radius,
            false => (RELATIVE_ROD_RADIUS * mean_length).clamp(min_radius, max_radius),
        };
        let first_vertex = body.vertices.start as u32;
        let body_corners = |corners: &[u32; 3]| corners.map(|corner| corner - first_vertex);
        let faces = body.triangles.iter().map(body_corners).collect::<Vec<_>>();
        let body_points =
            points[body.vertices.clone()].iter().map(|p| p.as_dvec3()).collect::<Vec<_>>();
        Self {
            is_solid: body.encloses_solid(positions),
            creases: Creases::find(&body_points, &FaceList::of_triangles(&faces)),
            body: body.clone(),
            color_index,
            rod_radius: body.radius.unwrap_or(drawn_radius),
        }
    }

    /// Meshes of the body in a frame: the surface, and the rods and beads. Bodies are coloured by the displayed scalar,
    /// whose values in `range` (in the unit of its field) are spread over the colour map.
    pub(super) fn meshes(
        &self,
        frame: &PlayedFrame,
        displayed: Option<&VertexScalar>,
        range: [f32; 2],
    ) -> [Mesh; 2] {
        let positions: Vec<Vec3> = frame.positions.iter().map(|&p| p.into()).collect();
        let displayed = displayed.filter(|_| self.body.role == Role::Body);
        let values = displayed.and_then(|scalar| relative_values(scalar, frame, range));
        let colors = values.map(value_colors);
        self.build_meshes(&positions, colors.as_deref())
    }

    /// Builds the mesh of the surface, and the mesh of the rods and beads. `positions` (m) and `colors` are those of
    /// all vertices of a frame; without `colors` the body has its own colour.
    fn build_meshes(&self, positions: &[Vec3], colors: Option<&[Vec3]>) -> [Mesh; 2] {
        let body_vertices = self.body.vertices.clone();
        let color = match self.body.role {
            Role::Body | Role::Skin => color::body(self.color_index),
            Role::Obstacle | Role::Plane => color::obstacle(),
        };
        let (surface_paint, rod_paint) = match colors {
            Some(colors) => {
                (Paint::Points(colors[body_vertices.clone()].to_vec()), Paint::Points(Vec::new()))
            }
            None => (Paint::Plain(color), Paint::Plain(color)),
        };
        let body_positions = positions[body_vertices].to_vec();
        let mut surface = Mesh::smooth(body_positions, &self.creases, surface_paint);
        surface.is_solid = self.is_solid;
        let mut rods = Mesh { paint: rod_paint, ..Mesh::default() };
        let solid_point = |vertex: u32| SolidPoint {
            position: positions[vertex as usize],
            color: colors.map(|colors| colors[vertex as usize]),
        };
        for ends in &self.body.edges {
            add_rod(&mut rods, ends.map(solid_point), self.rod_radius);
        }
        // At a vertex of an elastic rod, a ball with the radius of the rod fills the gap between two segments.
        let bead_radius = match self.body.radius {
            Some(_) => self.rod_radius,
            None => RELATIVE_BEAD_RADIUS * self.rod_radius,
        };
        for vertex in self.beads() {
            add_bead(&mut rods, solid_point(vertex), bead_radius);
        }
        [surface, rods]
    }

    /// Vertices that are drawn as beads: particles, and the ends of the edges of bodies without triangles.
    fn beads(&self) -> Vec<u32> {
        let mut beads = self.body.points.clone();
        if self.body.triangles.is_empty() {
            beads.extend(self.body.edges.as_flattened());
        }
        beads.sort_unstable();
        beads.dedup();
        beads
    }
}

/// Meshes of a fixed part: the surface, and the rods and beads.
pub(super) fn fixed_meshes(part: &StillBody, stage_radius: f32) -> [Mesh; 2] {
    let positions: Vec<Vec3> = part.positions.iter().map(|&p| p.into()).collect();
    Model::new(&part.body, &part.positions, 0, stage_radius).build_meshes(&positions, None)
}

/// The displayed value of each vertex relative to a range: 0 at the lower end, the first colour of the colour map, and
/// 1 at the upper end, the last colour. `None` if the frame lacks the field.
pub(super) fn relative_values(
    displayed: &VertexScalar,
    frame: &PlayedFrame,
    [lower, upper]: [f32; 2],
) -> Option<Vec<f32>> {
    let span = if upper > lower { upper - lower } else { 1.0 };
    Some(displayed.values(frame)?.into_iter().map(|value| (value - lower) / span).collect())
}

/// The linear colours of relative values.
fn value_colors(values: Vec<f32>) -> Vec<Vec3> {
    values.into_iter().map(color::of_value).collect()
}

/// Names of the scalars that colours can display, for messages: those of scalar and vector fields, of which velocity is
/// called speed, and those of the components of tensors.
pub(super) fn displayable_fields(frame: &PlayedFrame) -> Vec<String> {
    let displayed_name = |field: &PointField| match (field.name.as_str(), field.components) {
        ("velocity", _) => "speed".to_owned(),
        (name, 6) => format!("{name}_xx"),
        (name, _) => name.to_owned(),
    };
    frame.fields.iter().map(displayed_name).collect()
}

/// The colour bar of the displayed scalar in the units of the scene; `range` is in SI units. `None` if colours display
/// no scalar.
pub(super) fn color_bar(
    run: &resile_record::Playback,
    options: &FilmOptions,
    displayed: Option<&VertexScalar>,
    range: [f32; 2],
) -> Option<ColorBar> {
    let recorded_name = displayed?.field();
    let Coloring::Field(displayed_name) = &options.coloring else { return None };
    Some(match run.unit(recorded_name) {
        None => ColorBar { name: displayed_name.clone(), range },
        Some(si_unit) => {
            let units = run.scene_units();
            let name = format!("{displayed_name} ({})", units.symbol(si_unit));
            let in_scene_units = |value: f32| units.number(f64::from(value), si_unit) as f32;
            ColorBar { name, range: range.map(in_scene_units) }
        }
    })
}
