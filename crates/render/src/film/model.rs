//! Meshes of the bodies of a run: surfaces, springs as thin cylinders, particles as spheres, elastic rods with
//! their thickness.

use super::solids::{bead, rod};
use super::survey::{field_name, value};
use super::{Coloring, FilmOptions};
use crate::color;
use crate::overlay::ColorBar;
use crate::picture::{Mesh, Paint};
use glam::Vec3;
use resile_mesh::{Creases, FaceList};
use resile_record::{PlayedBody, PlayedFrame, PointField, Role, StillBody};

/// Radius of drawn springs, relative to the mean edge length of their body.
const ROD: f32 = 0.05;
/// Smallest and largest radius of drawn springs, relative to the radius of the stage.
const ROD_RADIUS_RANGE: [f32; 2] = [0.0025, 0.015];
/// Radius of beads, relative to that of springs.
const RELATIVE_BEAD_RADIUS: f32 = 2.2;

/// Drawing data of a body.
#[derive(Debug)]
pub(super) struct Model {
    body: PlayedBody,
    /// Creases of its triangles, by its own vertices.
    creases: Creases,
    /// Index among the coloured bodies.
    number: usize,
    /// Radius of its drawn lines (m).
    rod: f32,
    /// Whether its triangles enclose a solid.
    is_solid: bool,
}

impl Model {
    /// Model of a body in the state of a frame, with `positions` of all vertices; `number` selects its colour.
    pub(super) fn new(
        body: &PlayedBody,
        positions: &[[f32; 3]],
        number: usize,
        radius: f32,
    ) -> Self {
        let points: Vec<Vec3> = positions.iter().map(|&p| p.into()).collect();
        let length = |[a, b]: &[u32; 2]| points[*a as usize].distance(points[*b as usize]);
        let mean = body.edges.iter().map(length).sum::<f32>() / body.edges.len().max(1) as f32;
        let thickness =
            if body.edges.is_empty() { ROD_RADIUS_RANGE[1] * radius } else { ROD * mean };
        let first = body.vertices.start;
        let local = |corners: &[u32; 3]| corners.map(|corner| corner - first as u32);
        let faces = body.triangles.iter().map(local).collect::<Vec<_>>();
        let body_points =
            points[body.vertices.clone()].iter().map(|p| p.as_dvec3()).collect::<Vec<_>>();
        Self {
            is_solid: body.encloses_solid(positions),
            creases: Creases::find(&body_points, &FaceList::of_triangles(&faces)),
            body: body.clone(),
            number,
            rod: body.radius.unwrap_or(
                thickness.clamp(ROD_RADIUS_RANGE[0] * radius, ROD_RADIUS_RANGE[1] * radius),
            ),
        }
    }

    /// Meshes of the body in a frame: its triangles, and its rods and beads.
    pub(super) fn meshes(
        &self,
        frame: &PlayedFrame,
        coloring: &Coloring,
        range: [f32; 2],
    ) -> [Mesh; 2] {
        let positions: Vec<Vec3> = frame.positions.iter().map(|&p| p.into()).collect();
        let field = field_name(coloring).and_then(|name| frame.field(name));
        let field = field.filter(|_| self.body.role == Role::Body);
        let colors = field.map(|field| colors(field, range));
        self.drawn(&positions, colors.as_deref())
    }

    /// The meshes of the surface and of the rods of the body, with their colours.
    fn drawn(&self, positions: &[Vec3], colors: Option<&[Vec3]>) -> [Mesh; 2] {
        let body_vertices = self.body.vertices.clone();
        let color = match self.body.role {
            Role::Body | Role::Skin => color::body(self.number),
            Role::Obstacle | Role::Plane => color::obstacle(),
        };
        let (paint, paint_of_rods) = match colors {
            Some(colors) => {
                (Paint::Points(colors[body_vertices.clone()].to_vec()), Paint::Points(Vec::new()))
            }
            None => (Paint::Plain(color), Paint::Plain(color)),
        };
        let mut surface = Mesh::smooth(positions[body_vertices].to_vec(), &self.creases, paint);
        surface.is_solid = self.is_solid;
        let mut rods = Mesh { paint: paint_of_rods, ..Mesh::default() };
        let at = |vertex: u32| (positions[vertex as usize], colors.map(|c| c[vertex as usize]));
        for ends in &self.body.edges {
            rod(&mut rods, ends.map(at), self.rod);
        }
        // A ball with the rod's radius fills the gap between two segments.
        let bead_radius =
            if self.body.radius.is_some() { self.rod } else { RELATIVE_BEAD_RADIUS * self.rod };
        for vertex in self.beads() {
            bead(&mut rods, at(vertex), bead_radius);
        }
        [surface, rods]
    }

    /// Vertices that are drawn as beads: particles, and the ends of springs between particles.
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

/// Meshes of a fixed part.
pub(super) fn still(part: &StillBody, radius: f32) -> [Mesh; 2] {
    let positions: Vec<Vec3> = part.positions.iter().map(|&p| p.into()).collect();
    Model::new(&part.body, &part.positions, 0, radius).drawn(&positions, None)
}

/// The value of each vertex, from 0 for the first colour of the scale to 1 for the last one.
pub(super) fn scaled(field: &PointField, [lower, upper]: [f32; 2]) -> Vec<f32> {
    let span = if upper > lower { upper - lower } else { 1.0 };
    let vertices = 0..field.values.len() / field.components;
    vertices.map(|vertex| (value(field, vertex) - lower) / span).collect()
}

fn colors(field: &PointField, range: [f32; 2]) -> Vec<Vec3> {
    scaled(field, range).into_iter().map(color::of_value).collect()
}

/// Names of the fields that can be shown by colours.
pub(super) fn fields(frame: &PlayedFrame) -> Vec<String> {
    let name = |field: &PointField| match field.name.as_str() {
        "velocity" => "speed".to_owned(),
        name => name.to_owned(),
    };
    let shown = frame.fields.iter().filter(|field| [1, 3].contains(&field.components));
    shown.map(name).collect()
}

/// The colour bar of the field that colours show, in the units of the scene; `range` is in SI.
pub(super) fn color_bar(
    run: &resile_record::Playback,
    options: &FilmOptions,
    range: [f32; 2],
) -> Option<ColorBar> {
    let field = field_name(&options.coloring)?;
    let Coloring::Field(shown) = &options.coloring else { return None };
    Some(match run.unit(field) {
        None => ColorBar { name: shown.clone(), range },
        Some(si) => {
            let units = run.scene_units();
            let name = format!("{shown} ({})", units.symbol(si));
            ColorBar { name, range: range.map(|end| units.number(f64::from(end), si) as f32) }
        }
    })
}
