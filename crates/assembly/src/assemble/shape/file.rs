//! Meshes of files and of parts of files; each file is read once.

use super::{Meshes, mesh_file_problem, warning};
use crate::assemble::element_materials::unknown_group_problem;
use crate::assemble::error;
use crate::mesh_file::{
    self, Groups, Mesh, MeshFile, MeshFileError, OtherSolidPolicy, PartChoice, PartError, part_of,
};
use resile_mesh::{MeshError, SurfaceError};
use resile_scene::description::{Problem, Shape, Units};

/// A part of a mesh file.
#[derive(Debug, Clone, PartialEq)]
pub(super) struct FilePart {
    file: String,
    choice: PartChoice,
    /// Distance between this part and others with which it shares nodes (m).
    gap: f64,
}

impl FilePart {
    /// The part that a shape names; `None` for other shapes.
    fn of_shape(shape: &Shape) -> Option<Self> {
        let Shape::Part { file, group, piece, gap } = shape else { return None };
        let choice = match (group, piece) {
            (Some(group), _) => PartChoice::Group(group.clone()),
            (None, piece) => PartChoice::Piece(piece.unwrap_or_default() as usize),
        };
        Some(Self { file: file.clone(), choice, gap: *gap })
    }
}

impl Meshes<'_> {
    /// The checked mesh of a file.
    pub(in crate::assemble) fn of_file(&mut self, name: &str, path: &str) -> Result<Mesh, Problem> {
        let mesh = self.read_file(name, path)?;
        if !self.valid.contains(name) {
            self.refuse_invalid(&mesh, name, path)?;
            self.valid.insert(name.to_owned());
        }
        Ok(mesh)
    }

    /// The checked mesh of a part of a file.
    pub(super) fn of_part(&mut self, shape: &Shape, path: &str) -> Result<Mesh, Problem> {
        let Some(part) = FilePart::of_shape(shape) else {
            return Err(error(path, "the shape is no part of a file", "choose one that is"));
        };
        if let Some((_, known)) = self.parts.iter().find(|(known, _)| *known == part) {
            return Ok(known.mesh.clone());
        }
        let FilePart { file: name, choice, gap } = &part;
        self.read_file(name, &format!("{path}.file"))?;
        let file = self.read.get(name).and_then(|read| read.as_ref().ok());
        let whole = file.ok_or_else(|| error(path, format!("{name} was not read"), ""))?;
        let extracted = part_of(whole, choice, *gap)
            .map_err(|e| part_problem(&e, (name, choice), &whole.groups, path))?;
        self.refuse_invalid(&extracted.mesh, name, path)?;
        let mesh = extracted.mesh.clone();
        self.parts.push((part, extracted));
        Ok(mesh)
    }

    /// Refuses an invalid mesh of a file.
    fn refuse_invalid(&self, mesh: &Mesh, name: &str, path: &str) -> Result<(), Problem> {
        let refuse = |e: &dyn ToString, help: &str| {
            let message = format!("{}: {}", self.folder.join(name).display(), e.to_string());
            error(path, message, help)
        };
        match mesh {
            Mesh::Curves(_) => Err(refuse(
                &"it has lines alone, and no faces",
                "add `kind: Rod(radius: 0.002)` to make rods of its lines",
            )),
            Mesh::Solid(mesh) => {
                let remesh_hint = format!(
                    "mesh it again in the program that made it, or fill its boundary: `sim mesh {name} -o \
                     boundary.obj`, then `Fill(file: \"boundary.obj\", ...)`"
                );
                let is_inverted = |e: &MeshError| matches!(e, MeshError::Inverted { .. });
                let remedy = "repair the mesh in the program that made it";
                mesh.check()
                    .map_err(|e| refuse(&e, if is_inverted(&e) { &remesh_hint } else { remedy }))
            }
            Mesh::Surface(mesh) => mesh.check().map_err(|e| {
                let repair_hint = format!("`sim mesh {name} --repair -o mended.obj` removes them");
                let is_flat = matches!(e, SurfaceError::Flat { .. });
                refuse(
                    &e,
                    if is_flat {
                        &repair_hint
                    } else {
                        "repair the surface in the program that made it"
                    },
                )
            }),
        }
    }

    /// The file of a shape, or the part of it that the shape names, if it was read.
    pub(super) fn file_of(&self, shape: &Shape) -> Option<&MeshFile> {
        match shape {
            Shape::File(name) => self.read.get(name)?.as_ref().ok(),
            Shape::Part { .. } => {
                let part = FilePart::of_shape(shape)?;
                self.parts.iter().find(|(known, _)| *known == part).map(|(_, file)| file)
            }
            _ => None,
        }
    }

    /// Reads a file without checks; ignored contents become warnings.
    pub(super) fn read_file(&mut self, name: &str, path: &str) -> Result<Mesh, Problem> {
        let file = self.folder.join(name);
        let known = self.read.entry(name.to_owned());
        let read = known
            .or_insert_with(|| {
                in_metres(mesh_file::read(&file, OtherSolidPolicy::Divide)?, self.units)
            })
            .as_ref()
            .map_err(|e| mesh_file_problem(e, path))?;
        let (mesh, notes) = (read.mesh.clone(), read.warnings.clone());
        let second_order = read.second_order.clone();
        // The treatment of second-order tetrahedra depends on the body.
        for note in notes.into_iter().filter(|note| Some(note) != second_order.as_ref()) {
            self.note(Some(warning(path, format!("{}: {note}", file.display()), "")));
        }
        Ok(mesh)
    }
}

/// Converts the lengths of a file in `units` to metres.
fn in_metres(mut file: MeshFile, units: Units) -> Result<MeshFile, MeshFileError> {
    if units != Units::Metres {
        let points = match &mut file.mesh {
            Mesh::Solid(mesh) => &mut mesh.positions,
            Mesh::Surface(mesh) => &mut mesh.positions,
            Mesh::Curves(mesh) => &mut mesh.positions,
        };
        points.iter_mut().for_each(|point| *point /= units.per_metre());
        file.curved.values_mut().for_each(|point| *point /= units.per_metre());
    }
    Ok(file)
}

/// The message for a part that a file does not have.
fn part_problem(
    e: &PartError,
    (name, choice): (&str, &PartChoice),
    groups: &Groups,
    path: &str,
) -> Problem {
    match (e, choice) {
        (PartError::UnknownGroup, PartChoice::Group(group)) => {
            unknown_group_problem(group, groups.keys(), format!("{path}.group"))
        }
        (PartError::NoElements, _) => error(
            format!("{path}.group"),
            format!("{name}: {e}"),
            "choose a group of tetrahedra or triangles; this one is for regions",
        ),
        (PartError::MissingPiece(_), _) => error(
            format!("{path}.piece"),
            format!("{name}: {e}"),
            "pieces share no vertex; parts that do are told apart by groups",
        ),
        _ => error(path, format!("{name}: {e}"), "choose another file"),
    }
}
