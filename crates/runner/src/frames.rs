//! Frames: moving bodies, fixed obstacles, and drawn pieces of planes.

use super::skins::Skins;
use super::totals::Totals;
use super::{RunError, RunFolder, fields};
use resile_assembly::BodyMesh;
use resile_contact::CollisionMesh;
use resile_math::{Aabb, Vec3};
use resile_mesh::TriMesh;
use resile_record::{
    BodyCells, FileExtents, Frame, FrameExtent, FramePlane, FrameWriter, Ply, Role, Still,
    Topology, Vtu,
};
use resile_scene::description::{FrameFormat, Obstacle, PointField, Scene};
use resile_world::World;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

/// Writes the frames of a run in all formats.
#[derive(Debug)]
pub(super) struct Frames {
    /// One writer for each format.
    writers: Vec<FrameWriter>,
    /// Embeddings of the drawn points.
    surfaces: Vec<Arc<CollisionMesh>>,
    /// Rest positions of the drawn points (m) of all bodies.
    rest: Vec<Vec3>,
    /// Surfaces drawn in place of bodies.
    skins: Skins,
    planes: Vec<FramePlane>,
    /// Requested fields.
    fields: Vec<PointField>,
    /// The length of a step (s).
    h: f64,
    /// Bounding box of all frames (m), which determines the drawn pieces of planes.
    bounding_box: Option<Aabb>,
}

impl Frames {
    /// Begins the frames or, in a resumed run, continues them after the step of `totals`, at which they had these
    /// extents.
    pub(super) fn open(
        scene: &Scene,
        folder: &RunFolder,
        (meshes, obstacles): (&[BodyMesh], &[(u32, TriMesh)]),
        (totals, extents): (&Totals, &FileExtents),
    ) -> Result<Self, RunError> {
        let formats: BTreeSet<FrameFormat> = scene.output.formats.iter().copied().collect();
        let topology = frame_topology(scene, meshes);
        let fixed_obstacles = fixed_obstacles(scene, meshes.len(), obstacles);
        let step_and_extents = (totals.steps, extents);
        let open = |format| {
            open_writer(folder, cell_format(format, &topology), &fixed_obstacles, step_and_extents)
        };
        let mut frames = Self {
            writers: formats.into_iter().map(open).collect::<Result<_, _>>()?,
            surfaces: meshes.iter().map(|mesh| mesh.surface.clone()).collect(),
            rest: meshes.iter().flat_map(|mesh| mesh.rest.iter().copied()).collect(),
            skins: Skins::new(meshes),
            planes: planes(scene, meshes.len()),
            fields: scene
                .output
                .fields
                .iter()
                .copied()
                .collect::<BTreeSet<_>>()
                .into_iter()
                .collect(),
            h: scene.time.step.seconds(),
            bounding_box: totals.frame_box,
        };
        frames.write_planes()?;
        Ok(frames)
    }

    /// Rewrites damaged lists of frames and returns their files.
    pub(super) fn repair_lists(&self) -> Result<Vec<PathBuf>, RunError> {
        let repaired = self.writers.iter().map(|writer| Ok(writer.repair_index()?));
        Ok(repaired.collect::<Result<Vec<_>, RunError>>()?.into_iter().flatten().collect())
    }

    /// The extents of the frames of each format, by extension.
    pub(super) fn extents(&self) -> impl Iterator<Item = (String, Vec<FrameExtent>)> + '_ {
        self.writers.iter().map(|writer| (writer.ending().to_owned(), writer.frames().to_vec()))
    }

    /// Syncs all frames to disk.
    pub(super) fn flush(&mut self) -> Result<(), RunError> {
        Ok(self.writers.iter_mut().try_for_each(FrameWriter::flush)?)
    }

    /// Bounding box (m) of all frames.
    pub(super) fn bounding_box(&self) -> Option<Aabb> {
        self.bounding_box
    }

    /// Writes a frame of the present state at `time` (s) in all formats.
    pub(super) fn write(&mut self, world: &mut World, time: f64) -> Result<(), RunError> {
        if self.writers.is_empty() {
            return Ok(());
        }
        let (mut points, mut velocities) = (Vec::new(), Vec::new());
        for (b, surface) in self.surfaces.iter().enumerate() {
            let state = world.state(b);
            points.extend_from_slice(&surface.points(&state.positions));
            // Points and their velocities are weighted means of those of the nodes.
            velocities.extend_from_slice(&surface.points(&state.velocities));
        }
        self.skins.extend(&mut points);
        self.skins.extend(&mut velocities);
        let frame_box = Aabb::around(&points);
        let bounding_box = self.bounding_box.into_iter().chain(frame_box).reduce(Aabb::joined);
        if bounding_box != self.bounding_box {
            self.bounding_box = bounding_box;
            self.write_planes()?;
        }
        let mut fields = match self.fields.is_empty() {
            true => Vec::new(),
            false => {
                fields::point_fields(&self.fields, (world, self.h), &self.surfaces, &self.rest)
            }
        };
        fields.iter_mut().for_each(|field| self.skins.extend_field(&mut field.values));
        let frame = Frame { time, points: &points, velocities: &velocities, fields: &fields };
        Ok(self.writers.iter_mut().try_for_each(|writer| writer.write(&frame))?)
    }

    /// Writes the drawn piece of each plane, whose extent follows from the bounding box of all frames so far.
    fn write_planes(&mut self) -> Result<(), RunError> {
        let Some(bounding_box) = self.bounding_box.filter(|_| !self.planes.is_empty()) else {
            return Ok(());
        };
        let plane_meshes: Vec<TriMesh> =
            self.planes.iter().map(|plane| plane.piece(bounding_box)).collect();
        let drawn_plane = |(plane, mesh)| {
            let FramePlane { body, name, .. }: &FramePlane = plane;
            Still { body: *body, name, role: Role::Plane, mesh }
        };
        let drawn_planes: Vec<_> = self.planes.iter().zip(&plane_meshes).map(drawn_plane).collect();
        Ok(self.writers.iter_mut().try_for_each(|writer| writer.write_planes(&drawn_planes))?)
    }
}

/// The writer of a file format, for the cells of a topology.
fn cell_format(format: FrameFormat, topology: &Topology) -> Box<dyn resile_record::FrameFormat> {
    match format {
        FrameFormat::Vtu => Box::new(Vtu::new(topology)),
        FrameFormat::Ply => Box::new(Ply::new(topology)),
    }
}

/// The cells of all bodies, then of moving obstacles, then of skins, whose numbers follow those of all colliders.
fn frame_topology(scene: &Scene, meshes: &[BodyMesh]) -> Topology {
    let mut topology = Topology::default();
    topology.gravity = Vec3::from_array(scene.gravity);
    // The last meshes are those of moving obstacles.
    let moving_obstacles = scene.obstacles.iter().filter(|obstacle| obstacle.moves()).count();
    for (index, mesh) in meshes.iter().enumerate() {
        let is_body = index + moving_obstacles < meshes.len();
        let is_embedded = mesh.surface.embedding().is_some();
        // The drawn triangles of an embedded surface are no elements.
        let groups = if is_embedded { Vec::new() } else { mesh.cell_groups() };
        let cells = BodyCells {
            name: &mesh.name,
            role: if is_body { Role::Body } else { Role::Obstacle },
            // The drawn points are those of an embedded surface, if any.
            tets: if is_embedded { &[] } else { &mesh.tets },
            triangles: &mesh.triangles,
            lines: &mesh.lines,
            radius: mesh.rod_radius,
            is_sheet: is_body && mesh.tets.is_empty() && !is_embedded,
            points: &mesh.points,
            groups: &groups,
            ..BodyCells::default()
        };
        topology.add_body(mesh.point_count(), cells);
    }
    // Skins are numbered last, so that the numbers of colliders do not depend on them.
    let first_skin = obstacle_number(meshes.len(), scene.obstacles.len());
    let skins = meshes.iter().filter_map(|mesh| Some((mesh, mesh.skin.as_ref()?)));
    for (number, (mesh, skin)) in (first_skin..).zip(skins) {
        let cells = BodyCells {
            name: &mesh.name,
            number: Some(number),
            role: Role::Skin,
            triangles: &skin.triangles,
            ..BodyCells::default()
        };
        topology.add_body(skin.points.len(), cells);
    }
    topology
}

/// Opens the frames of a format: new ones or, in a resumed run, those up to its checkpoint.
fn open_writer(
    folder: &RunFolder,
    format: Box<dyn resile_record::FrameFormat>,
    obstacles: &[Still<'_>],
    (step, extents): (u64, &FileExtents),
) -> Result<FrameWriter, RunError> {
    let mut frames = match (step, extents.frames.get(format.ending())) {
        (0, _) | (_, None) => FrameWriter::create(&folder.frames(), format),
        (_, Some(extents)) => FrameWriter::resume(&folder.frames(), format, extents)?,
    };
    if !obstacles.is_empty() {
        frames.write_obstacles(obstacles)?;
    }
    Ok(frames)
}

/// The number of an obstacle: obstacles follow all bodies of the frames, in the order of the scene.
fn obstacle_number(body_count: usize, obstacle_index: usize) -> u32 {
    (body_count + obstacle_index) as u32
}

/// The planes of a scene; `body_count` is the number of bodies in the frames.
fn planes(scene: &Scene, body_count: usize) -> Vec<FramePlane> {
    let plane = |(index, obstacle): (usize, &Obstacle)| match obstacle {
        Obstacle::Plane { name, point, normal, .. } => Some(FramePlane {
            body: obstacle_number(body_count, index),
            name: name.clone(),
            point: Vec3::from_array(*point),
            normal: Vec3::from_array(*normal),
        }),
        Obstacle::Mesh { .. } | Obstacle::Shape { .. } | Obstacle::Animated { .. } => None,
    };
    scene.obstacles.iter().enumerate().filter_map(plane).collect()
}

/// The fixed obstacles of a scene. `obstacles` holds the index in the scene and the mesh of each; `body_count` is the
/// number of bodies in the frames.
fn fixed_obstacles<'a>(
    scene: &'a Scene,
    body_count: usize,
    obstacles: &'a [(u32, TriMesh)],
) -> Vec<Still<'a>> {
    let fixed_obstacle = |(obstacle, mesh): &'a (u32, TriMesh)| Still {
        body: obstacle_number(body_count, *obstacle as usize),
        name: scene.obstacles[*obstacle as usize].name(),
        role: Role::Obstacle,
        mesh,
    };
    obstacles.iter().map(fixed_obstacle).collect()
}
