//! Films of a run.

mod error;
mod framing;
mod model;
mod options;
mod shoot;
mod solids;
mod survey;
mod timeline;

pub use error::FilmError;
pub use options::{Coloring, FilmOptions, Overlay};

use crate::camera::Camera;
use crate::geometry::Bounds;
use crate::image::Image;
use crate::light::{Lamps, Stage};
use crate::overlay::{Energies, Overlays};
use crate::picture::{CutFace, Mesh, Plane, Scene, Section, draw};
use framing::{MotionExtent, View, Window, distance_to_follow};
use glam::{DVec3, Vec3};
use model::Model;
use resile_record::{Playback, PlayedFrame, Role, StillBody};
use std::sync::Arc;
use survey::Survey;
use timeline::Timeline;

/// Smallest cosine between the automatic viewing direction and the normal of a section plane.
const MIN_CUT_COSINE: f64 = 0.7;

/// The effect of a section plane on the bodies and obstacles of a film.
#[derive(Debug, Clone, Copy, PartialEq)]
pub enum SectionEffect {
    /// The plane passes through the bounding box of some of them.
    Cuts,
    /// All of them are on the kept side.
    CutsNothing {
        /// Distance of the plane from their boxes (m).
        nearest: f32,
    },
    /// All of them are cut away.
    RemovesEverything {
        /// Distance of the plane from their boxes (m).
        nearest: f32,
    },
}

/// A film of a run; its images can be drawn in any order.
#[derive(Debug)]
pub struct Film<'a> {
    run: &'a Playback,
    options: FilmOptions,
    timeline: Timeline,
    survey: Survey,
    models: Vec<Model>,
    still_meshes: Vec<Mesh>,
    planes: Vec<Plane>,
    shot: CameraMode,
    lamps: Lamps,
    overlays: Overlays,
}

/// All points of a frame, also those inside bodies.
struct InnerPoints {
    /// (m).
    positions: Vec<Vec3>,
    /// The field in the range of the legend.
    values: Vec<f32>,
}

#[derive(Debug, Clone, Copy)]
enum CameraMode {
    /// Fixed camera.
    Still { camera: Camera, stage: Stage },
    /// Camera orbiting a point.
    Around { view: View, window: Window, center: DVec3, distance: f64, stage: Stage },
    /// Camera following the body with this index among all bodies of the run, and orbiting it.
    Along { view: View, window: Window, body: usize, distance: f64, radius: f32 },
}

impl<'a> Film<'a> {
    /// Surveys all frames of the film.
    ///
    /// # Errors
    /// If options are invalid or do not fit the run, or files cannot be read.
    pub fn new(run: &'a Playback, options: FilmOptions) -> Result<Self, FilmError> {
        options.check()?;
        let timeline = Timeline::new(run.times(), &options)?;
        let frames = timeline.frames(run.times());
        let first = run.frame(frames.start)?;
        check_names(run, &first, &options)?;
        let mut survey = survey::survey(run, frames, &options.coloring)?;
        survey.range = options.range.unwrap_or(survey.range);
        let boxes: Vec<Bounds> = obstacles(run).filter_map(bounds).collect();
        let places = MotionExtent::new(&survey, &shown_bodies(run), &boxes);
        let up = DVec3::from(run.up());
        let view = match options.view {
            Some(toward) => View { toward: DVec3::from(toward).normalize(), up },
            None => facing(View::usual(&places.whole, up), options.section_plane()),
        };
        let energies = Energies::new(run, &options.overlays)?;
        let bar = model::color_bar(run, &options, survey.range);
        let overlays = Overlays { which: options.overlays.clone(), energies, bar };
        let insets = overlays.insets(options.size).into_iter();
        let windows: Vec<Window> = insets.map(|insets| Window::new(options.size, insets)).collect();
        let shot = CameraMode::choose(&places, view, &windows, &survey, run, &options);
        let radius = shot.stage_of(&places).radius;
        Ok(Self {
            models: models(run, &first, radius),
            still_meshes: obstacles(run).flat_map(|part| model::still(part, radius)).collect(),
            planes: run.still().iter().filter_map(plane).collect(),
            lamps: lamps(view),
            overlays,
            run,
            options,
            timeline,
            survey,
            shot,
        })
    }

    /// Number of images.
    pub fn pictures(&self) -> usize {
        self.timeline.pictures
    }

    /// Images per second.
    pub fn rate(&self) -> f64 {
        self.timeline.rate
    }

    /// Width and height of all images.
    pub fn size(&self) -> [usize; 2] {
        self.options.size
    }

    /// The effect of the section plane in all frames of the film; `None` without a plane.
    pub fn section_effect(&self) -> Option<SectionEffect> {
        let section = self.options.section_plane()?;
        let moving = self.survey.boxes.iter().flatten().flatten().copied();
        let boxes = moving.chain(obstacles(self.run).filter_map(bounds));
        let ends = boxes.map(|bounds| section.range(bounds));
        let [nearest, farthest] = ends.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
        Some(match (nearest > 0.0, farthest > 0.0) {
            (true, _) => SectionEffect::RemovesEverything { nearest },
            (_, false) => SectionEffect::CutsNothing { nearest: -farthest },
            _ => SectionEffect::Cuts,
        })
    }

    /// Draws an image.
    ///
    /// # Errors
    /// If a frame cannot be read.
    pub fn picture(&self, number: usize) -> Result<Image, FilmError> {
        self.picture_of_size(number, self.options.size)
    }

    /// Draws an image at another size with the same aspect ratio.
    fn picture_of_size(&self, number: usize, size: [usize; 2]) -> Result<Image, FilmError> {
        let time = self.timeline.time(number);
        let frame = self.run.frame_at(time)?;
        let (camera, stage) = self.shot.at(self.turn(number), self.run, &frame);
        let (coloring, range) = (&self.options.coloring, self.survey.range);
        let section = self.options.section_plane();
        let inner_points = self.inner_points_at(time)?;
        let moving = (0..).zip(&self.models).flat_map(|(body, model)| {
            let [mut surface, rods] = model.meshes(&frame, coloring, range);
            let tets = self.run.tetrahedra(body);
            if let (Some(section), Some(InnerPoints { positions, values })) =
                (section, &inner_points)
                && surface.is_solid
                && !tets.is_empty()
            {
                surface.cut_face = Some(Arc::new(CutFace::new(section, positions, values, tets)));
            }
            [surface, rods]
        });
        let meshes = moving.chain(self.still_meshes.iter().cloned()).collect();
        let (planes, edges) = (self.planes.clone(), self.options.edges);
        let scene = Scene { meshes, planes, lamps: self.lamps, stage, edges, section };
        let mut image = draw(&scene, &camera, size);
        self.overlays.draw_on(&mut image, time);
        Ok(image)
    }

    /// The points of cut faces at a time, if these show a field.
    fn inner_points_at(&self, time: f64) -> Result<Option<InnerPoints>, FilmError> {
        let field = self.options.section.and(survey::field_name(&self.options.coloring));
        let Some(field) = field else { return Ok(None) };
        let all = self.run.all_points_at(time)?;
        let values = all.field(field).map(|field| model::scaled(field, self.survey.range));
        let positions = || all.positions.iter().map(|&p| p.into()).collect();
        Ok(values.map(|values| InnerPoints { positions: positions(), values }))
    }

    /// Angle of the orbit (degrees). The image after the last one would equal the first, for looping.
    fn turn(&self, number: usize) -> f64 {
        self.options.orbit * number as f64 / self.pictures() as f64
    }
}

impl CameraMode {
    /// A camera that follows a body, orbits, or stands still, as the options request.
    fn choose(
        places: &MotionExtent,
        view: View,
        windows: &[Window],
        survey: &Survey,
        run: &Playback,
        options: &FilmOptions,
    ) -> Self {
        let stage = places.stage();
        let followed = options.follow.as_ref();
        let body = followed.and_then(|name| run.bodies().iter().position(|b| b.name == *name));
        if let Some(body) = body {
            let sizes = survey.boxes.iter().filter_map(|frame| Some(frame[body]?.size().length()));
            let size = sizes.fold(0.0, f32::max);
            let radius = if size > 0.0 { 2.0 * size } else { 0.1 * stage.radius };
            let distance = distance_to_follow(0.5 * radius);
            return Self::Along { view, window: windows[0], body, distance, radius };
        }
        if options.orbit == 0.0 {
            return Self::Still { camera: view.of_all(places, windows), stage };
        }
        let around = |&window| (view.distance_around(places, window, options.orbit), window);
        let (distance, window) = windows
            .iter()
            .map(around)
            .min_by(|a, b| a.0.total_cmp(&b.0))
            .expect("there is a window");
        Self::Around { view, window, center: stage.center.as_dvec3(), distance, stage }
    }

    /// Camera and stage of an image.
    fn at(&self, turned: f64, run: &Playback, frame: &PlayedFrame) -> (Camera, Stage) {
        match *self {
            Self::Still { camera, stage } => (camera, stage),
            Self::Around { view, window, center, distance, stage } => {
                (view.turned(turned).through(window, center, distance), stage)
            }
            Self::Along { view, window, body, distance, radius } => {
                let vertices = &frame.positions[run.bodies()[body].vertices.clone()];
                let bounds = Bounds::around(vertices.iter().map(|&p| p.into()));
                let center = bounds.map_or(Vec3::ZERO, |b| b.center());
                let camera = view.turned(turned).through(window, center.as_dvec3(), distance);
                (camera, Stage { center, radius })
            }
        }
    }

    fn stage_of(&self, places: &MotionExtent) -> Stage {
        match *self {
            Self::Along { radius, .. } => Stage { radius, ..places.stage() },
            Self::Still { stage, .. } | Self::Around { stage, .. } => stage,
        }
    }
}

/// Rejects unknown bodies and fields.
fn check_names(
    run: &Playback,
    first: &PlayedFrame,
    options: &FilmOptions,
) -> Result<(), FilmError> {
    if let Some(name) = &options.follow {
        let mut names = run.bodies().iter().map(|body| &body.name);
        if !names.any(|known| known == name) {
            return Err(FilmError::NoBody { name: name.clone(), known: list_names(run) });
        }
    }
    let Coloring::Field(name) = &options.coloring else { return Ok(()) };
    let known = model::fields(first);
    let shown = if name == "velocity" { "speed" } else { name };
    match known.iter().any(|known| known == shown) {
        true => Ok(()),
        false => Err(FilmError::NoField { name: name.clone(), known: known.join(", ") }),
    }
}

/// Body names for messages, abbreviated if there are many.
fn list_names(run: &Playback) -> String {
    const MAX_LISTED: usize = 12;
    let names = run.bodies().iter().take(MAX_LISTED).map(|body| format!("\"{}\"", body.name));
    let names = names.collect::<Vec<_>>().join(", ");
    match run.bodies().len().saturating_sub(MAX_LISTED) {
        0 => names,
        more => format!("{names} and {more} more"),
    }
}

/// Indices of the bodies that images should show; if there are none, of other moving parts.
fn shown_bodies(run: &Playback) -> Vec<usize> {
    let bodies_with_role = |role: Role| -> Vec<usize> {
        (0..run.bodies().len()).filter(|&b| run.bodies()[b].role == role).collect()
    };
    match bodies_with_role(Role::Body) {
        bodies if bodies.is_empty() => (0..run.bodies().len()).collect(),
        bodies => bodies,
    }
}

/// A model of each body and obstacle; bodies are numbered for their colours.
fn models(run: &Playback, first: &PlayedFrame, radius: f32) -> Vec<Model> {
    let mut number = 0;
    let model = |body: &resile_record::PlayedBody| {
        let model = Model::new(body, &first.positions, number, radius);
        number += usize::from(body.role == Role::Body);
        model
    };
    run.bodies().iter().map(model).collect()
}

/// Fixed obstacles except planes.
fn obstacles(run: &Playback) -> impl Iterator<Item = &StillBody> {
    run.still().iter().filter(|part| part.body.role != Role::Plane)
}

fn bounds(part: &StillBody) -> Option<Bounds> {
    Bounds::around(part.positions.iter().map(|&p| p.into()))
}

fn plane(part: &StillBody) -> Option<Plane> {
    let corners = part.body.triangles.first().filter(|_| part.body.role == Role::Plane)?;
    let [a, b, c] = corners.map(|corner| Vec3::from(part.positions[corner as usize]));
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(Plane { point: a, normal })
}

/// A view on which a section plane turns its cut side, by at least [`MIN_CUT_COSINE`].
fn facing(view: View, section: Option<Section>) -> View {
    let Some(section) = section else { return view };
    let normal = section.normal.as_dvec3();
    let toward = view.toward;
    let mirrored = toward - 2.0 * toward.dot(normal).min(0.0) * normal;
    let missing = (MIN_CUT_COSINE - mirrored.dot(normal)).max(0.0);
    View { toward: (mirrored + missing * normal).normalize(), ..view }
}

/// A sun over the camera's left shoulder.
fn lamps(view: View) -> Lamps {
    let camera = view.from(DVec3::ZERO, 1.0);
    let level = view.toward - view.toward.dot(view.up) * view.up;
    let back = level.try_normalize().unwrap_or(camera.up);
    let sun = (0.85 * view.up - 0.42 * camera.right + 0.30 * back).normalize();
    Lamps { up: view.up.as_vec3(), sun: sun.as_vec3() }
}
