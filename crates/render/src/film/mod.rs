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
use crate::overlay::{Captions, Energies, Overlays};
use crate::picture::{CutFace, Mesh, Plane, Scene, Section, draw};
use framing::{MotionExtent, View, Window, follow_distance};
use glam::{DVec3, Vec3};
use model::Model;
use resile_record::{Playback, PlayedFrame, Role, StillBody, VertexScalar};
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
    /// The scalar that colours display; `None` if they display bodies.
    displayed: Option<VertexScalar>,
    timeline: Timeline,
    survey: Survey,
    models: Vec<Model>,
    fixed_meshes: Vec<Mesh>,
    planes: Vec<Plane>,
    camera_mode: CameraMode,
    lamps: Lamps,
    overlays: Overlays,
}

/// All points of a frame, also those inside bodies.
struct InnerPoints {
    /// Positions (m).
    positions: Vec<Vec3>,
    /// Values of the displayed scalar, from 0 at the first colour of the colour map to 1 at the last one.
    values: Vec<f32>,
}

/// Motion of the camera over the film.
#[derive(Debug, Clone, Copy)]
enum CameraMode {
    /// The camera does not move.
    Fixed { camera: Camera, stage: Stage },
    /// The camera orbits the point `center` (m) at `distance` (m).
    Orbit { view: View, window: Window, center: DVec3, distance: f64, stage: Stage },
    /// The camera follows and orbits the body with the index `body` among all bodies of the run, at `distance` (m).
    /// `radius` (m) is that of the stage, which moves with the body.
    Follow { view: View, window: Window, body: usize, distance: f64, radius: f32 },
}

impl<'a> Film<'a> {
    /// Surveys all frames of the film.
    ///
    /// # Errors
    /// If options are invalid or do not fit the run, or files cannot be read.
    pub fn new(run: &'a Playback, options: FilmOptions) -> Result<Self, FilmError> {
        Self::new_unless(run, options, &|| false)
    }

    /// As [`new`](Self::new), unless `is_cancelled` returns true before all frames are surveyed.
    ///
    /// # Errors
    /// Those of `new`, and if the survey is cancelled.
    pub fn new_unless(
        run: &'a Playback,
        options: FilmOptions,
        is_cancelled: &(dyn Fn() -> bool + Sync),
    ) -> Result<Self, FilmError> {
        options.check()?;
        let timeline = Timeline::new(run.times(), &options)?;
        let frames = timeline.frames(run.times());
        let first = run.frame(frames.start)?;
        check_followed_body(run, &options)?;
        let displayed = displayed_scalar(&first, &options.coloring)?;
        let mut survey = survey::survey(run, frames, displayed.as_ref(), is_cancelled)?;
        survey.range = options.range.unwrap_or(survey.range);
        let fixed_boxes: Vec<Bounds> = obstacles(run).filter_map(bounds_of_part).collect();
        let extent = MotionExtent::new(&survey, &shown_bodies(run), &fixed_boxes);
        let up = DVec3::from(run.up());
        let view = match options.view {
            Some(toward) => View { toward: DVec3::from(toward).normalize(), up },
            None => face_cut_side(View::automatic(&extent.bounds, up), options.section_plane()),
        };
        let energies = Energies::new(run, &options.overlays)?;
        let bar = model::color_bar(run, &options, displayed.as_ref(), survey.range);
        let captions = Captions::new(run);
        let overlays = Overlays { selected: options.overlays.clone(), energies, bar, captions };
        let insets = overlays.insets(options.size).into_iter();
        let windows: Vec<Window> = insets.map(|insets| Window::new(options.size, insets)).collect();
        let camera_mode = CameraMode::choose(&extent, view, &windows, &survey, run, &options);
        let stage_radius = camera_mode.stage_radius();
        let fixed_meshes = obstacles(run).flat_map(|part| model::fixed_meshes(part, stage_radius));
        Ok(Self {
            models: models(run, &first, stage_radius),
            fixed_meshes: fixed_meshes.collect(),
            planes: run.still().iter().filter_map(plane_of_part).collect(),
            lamps: lamps(view),
            overlays,
            run,
            options,
            displayed,
            timeline,
            survey,
            camera_mode,
        })
    }

    /// Number of images.
    pub fn pictures(&self) -> usize {
        self.timeline.image_count
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
        let boxes = moving.chain(obstacles(self.run).filter_map(bounds_of_part));
        let distance_ranges = boxes.map(|bounds| section.range(bounds));
        let [min, max] = distance_ranges.reduce(|a, b| [a[0].min(b[0]), a[1].max(b[1])])?;
        Some(match (min > 0.0, max > 0.0) {
            (true, _) => SectionEffect::RemovesEverything { nearest: min },
            (_, false) => SectionEffect::CutsNothing { nearest: -max },
            _ => SectionEffect::Cuts,
        })
    }

    /// Draws the image with this index.
    ///
    /// # Errors
    /// If a frame cannot be read.
    pub fn picture(&self, image_index: usize) -> Result<Image, FilmError> {
        self.picture_of_size(image_index, self.options.size)
    }

    /// Draws an image at another size (pixels) with the same aspect ratio.
    fn picture_of_size(&self, image_index: usize, size: [usize; 2]) -> Result<Image, FilmError> {
        let time = self.timeline.time(image_index);
        let frame = self.run.frame_at(time)?;
        let orbit_angle = self.orbit_angle(image_index);
        let (camera, stage) = self.camera_mode.camera_and_stage(orbit_angle, self.run, &frame);
        let (displayed, range) = (self.displayed.as_ref(), self.survey.range);
        let section = self.options.section_plane();
        let inner_points = self.inner_points_at(time)?;
        let moving = (0..).zip(&self.models).flat_map(|(body, model)| {
            let [mut surface, rods] = model.meshes(&frame, displayed, range);
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
        let meshes = moving.chain(self.fixed_meshes.iter().cloned()).collect();
        let (planes, edges) = (self.planes.clone(), self.options.edges);
        let scene = Scene { meshes, planes, lamps: self.lamps, stage, edges, section };
        let mut image = draw(&scene, &camera, size);
        self.overlays.draw(&mut image, time);
        Ok(image)
    }

    /// All points of bodies at a time (s), which cut faces need; `None` without a section plane or a displayed scalar.
    fn inner_points_at(&self, time: f64) -> Result<Option<InnerPoints>, FilmError> {
        let displayed = self.options.section.and(self.displayed.as_ref());
        let Some(displayed) = displayed else { return Ok(None) };
        let frame = self.run.all_points_at(time)?;
        let values = model::relative_values(displayed, &frame, self.survey.range);
        let positions = || frame.positions.iter().map(|&p| p.into()).collect();
        Ok(values.map(|values| InnerPoints { positions: positions(), values }))
    }

    /// Angle of the camera on its orbit (degrees) in an image. The angle of the image after the last one would be the
    /// whole orbit, so a full turn loops without a repeated image.
    fn orbit_angle(&self, image_index: usize) -> f64 {
        self.options.orbit * image_index as f64 / self.pictures() as f64
    }
}

impl CameraMode {
    /// The camera mode that the options request: following a body, orbiting, or fixed. Orbiting and fixed cameras show
    /// the whole extent in one of the windows.
    fn choose(
        extent: &MotionExtent,
        view: View,
        windows: &[Window],
        survey: &Survey,
        run: &Playback,
        options: &FilmOptions,
    ) -> Self {
        let stage = extent.stage();
        let followed = options.follow.as_ref();
        let body = followed.and_then(|name| run.bodies().iter().position(|b| b.name == *name));
        if let Some(body) = body {
            let diagonals =
                survey.boxes.iter().filter_map(|frame| Some(frame[body]?.size().length()));
            let body_extent = diagonals.fold(0.0, f32::max);
            let radius = if body_extent > 0.0 { 2.0 * body_extent } else { 0.1 * stage.radius };
            let distance = follow_distance(0.5 * radius);
            return Self::Follow { view, window: windows[0], body, distance, radius };
        }
        if options.orbit == 0.0 {
            return Self::Fixed { camera: view.nearest_camera(extent, windows), stage };
        }
        let distances = windows.iter().map(|&w| view.orbit_distance(extent, w, options.orbit));
        let (distance, &window) = distances
            .zip(windows)
            .min_by(|(a, _), (b, _)| a.total_cmp(b))
            .expect("there is a window");
        Self::Orbit { view, window, center: stage.center.as_dvec3(), distance, stage }
    }

    /// Camera and stage of an image in which the camera has orbited by this angle (degrees).
    fn camera_and_stage(
        &self,
        orbit_angle: f64,
        run: &Playback,
        frame: &PlayedFrame,
    ) -> (Camera, Stage) {
        match *self {
            Self::Fixed { camera, stage } => (camera, stage),
            Self::Orbit { view, window, center, distance, stage } => {
                let view = view.rotated(orbit_angle);
                (view.camera_with_window(window, center, distance), stage)
            }
            Self::Follow { view, window, body, distance, radius } => {
                let vertices = &frame.positions[run.bodies()[body].vertices.clone()];
                let bounds = Bounds::around(vertices.iter().map(|&p| p.into()));
                let center = bounds.map_or(Vec3::ZERO, |b| b.center());
                let view = view.rotated(orbit_angle);
                let camera = view.camera_with_window(window, center.as_dvec3(), distance);
                (camera, Stage { center, radius })
            }
        }
    }

    /// Radius of the stage (m), which is the same in all images.
    fn stage_radius(&self) -> f32 {
        match *self {
            Self::Follow { radius, .. } => radius,
            Self::Fixed { stage, .. } | Self::Orbit { stage, .. } => stage.radius,
        }
    }
}

/// Rejects a body to follow that the run does not have.
fn check_followed_body(run: &Playback, options: &FilmOptions) -> Result<(), FilmError> {
    match &options.follow {
        Some(name) if !run.bodies().iter().any(|body| body.name == *name) => {
            Err(FilmError::NoBody { name: name.clone(), known: list_names(run) })
        }
        _ => Ok(()),
    }
}

/// The scalar that colours display; `None` if they display bodies. `first` is the first frame of the film.
///
/// # Errors
/// If the frame has no such scalar.
fn displayed_scalar(
    first: &PlayedFrame,
    coloring: &Coloring,
) -> Result<Option<VertexScalar>, FilmError> {
    let Coloring::Field(name) = coloring else { return Ok(None) };
    let scalar = VertexScalar::find(first, name).ok_or_else(|| match first.field(name) {
        Some(_) => FilmError::Tensor { name: name.clone() },
        None => FilmError::NoField {
            name: name.clone(),
            known: model::displayable_fields(first).join(", "),
        },
    });
    scalar.map(Some)
}

/// Quoted names of bodies for messages; of more than twelve names, only the number of the others is given.
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

/// Models of all moving bodies and obstacles, with creases found in the frame `first`. Bodies get consecutive colour
/// indices.
fn models(run: &Playback, first: &PlayedFrame, stage_radius: f32) -> Vec<Model> {
    let mut color_index = 0;
    let model = |body: &resile_record::PlayedBody| {
        let model = Model::new(body, &first.positions, color_index, stage_radius);
        color_index += usize::from(body.role == Role::Body);
        model
    };
    run.bodies().iter().map(model).collect()
}

/// Fixed obstacles except planes.
fn obstacles(run: &Playback) -> impl Iterator<Item = &StillBody> {
    run.still().iter().filter(|part| part.body.role != Role::Plane)
}

/// Bounding box of a fixed part; `None` if it has no vertices.
fn bounds_of_part(part: &StillBody) -> Option<Bounds> {
    Bounds::around(part.positions.iter().map(|&p| p.into()))
}

/// The infinite plane of a fixed part, from its first triangle; `None` if the part is not a plane.
fn plane_of_part(part: &StillBody) -> Option<Plane> {
    let corners = part.body.triangles.first().filter(|_| part.body.role == Role::Plane)?;
    let [a, b, c] = corners.map(|corner| Vec3::from(part.positions[corner as usize]));
    let normal = (b - a).cross(c - a).try_normalize()?;
    Some(Plane { point: a, normal })
}

/// Changes a view so that it shows the cut side of a section plane: mirrors the direction towards the eye at the plane
/// if it is behind, then inclines it to the normal if their cosine is below [`MIN_CUT_COSINE`].
fn face_cut_side(view: View, section: Option<Section>) -> View {
    let Some(section) = section else { return view };
    let normal = section.normal.as_dvec3();
    let toward = view.toward;
    let mirrored = toward - 2.0 * toward.dot(normal).min(0.0) * normal;
    let missing_cosine = (MIN_CUT_COSINE - mirrored.dot(normal)).max(0.0);
    View { toward: (mirrored + missing_cosine * normal).normalize(), ..view }
}

/// Lamps with the sun behind the camera, above and to the left.
fn lamps(view: View) -> Lamps {
    let camera = view.camera_at(DVec3::ZERO, 1.0);
    let horizontal = view.toward - view.toward.dot(view.up) * view.up;
    let backward = horizontal.try_normalize().unwrap_or(camera.up);
    let sun = (0.85 * view.up - 0.42 * camera.right + 0.30 * backward).normalize();
    Lamps { up: view.up.as_vec3(), sun: sun.as_vec3() }
}
