//! Conversion of mesh files: filling, repair, or change of format.

use crate::info::{MeshInfo, MeshInfoError};
use crate::mesh_file::{
    Filling, Group, Groups, Mesh, MeshFile, MeshFileError, OtherSolidPolicy, Resolution, fill,
    fill_help, lost_groups_note, read, straightened_note, write_curved, written_as,
};
use resile_mesh::read::Holds;
use resile_mesh::repair::repair;
use resile_mesh::{
    CurvedEdges, Deviation, MeshError, PolylineError, SurfaceError, TetMesh, TriMesh,
};
use resile_mesher::creases::{CreaseReport, DEFAULT_CREASE_ANGLE};
use resile_mesher::signed_distance::SolidError;
use resile_watch::{Cause, TaskContext};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Default number of tetrahedra of a filled surface.
pub const DEFAULT_TETS: usize = 20_000;

/// Treatment of an existing output.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// An existing output is an error.
    Refuse,
    /// An existing output is replaced.
    Replace,
}

/// A conversion.
#[derive(Debug, Clone)]
pub struct Remesh {
    /// The file to read.
    pub input: PathBuf,
    /// The file to write.
    pub output: PathBuf,
    /// Resolution of filling; default [`DEFAULT_TETS`].
    pub resolution: Option<Resolution>,
    /// Number of times that cells may double in size inside; default 0.
    pub grade: Option<u8>,
    /// Dihedral deviation (degrees) above which edges are preserved when filling; default
    /// [`DEFAULT_CREASE_ANGLE`].
    pub creases: Option<f64>,
    /// Whether a surface is repaired first.
    pub repair: bool,
    /// Treatment of elements other than tetrahedra.
    pub others: OtherSolidPolicy,
    /// Treatment of an existing output.
    pub existing: Existing,
}

/// The result of a conversion.
#[derive(Debug, Clone, PartialEq)]
pub struct Remeshed {
    /// The input.
    pub input: MeshInfo,
    /// The output.
    pub output: MeshInfo,
    /// Notes on omitted or changed parts.
    pub notes: Vec<String>,
    /// Defects of the filled surface and losses, each with a remedy.
    pub warnings: Vec<String>,
    /// The repair.
    pub mended: Option<Mended>,
    /// The distance between the surfaces of input and output, if the shape was filled.
    pub deviation: Option<Deviation>,
    /// The preservation of creases, if the shape was filled.
    pub creases: Option<CreaseReport>,
}

/// The report of a repair.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// Repaired defects.
    pub done: Vec<String>,
    /// Remaining defects.
    pub left: Vec<String>,
}

/// The error of a conversion that failed. Nothing was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RemeshError {
    /// An error of one of the files.
    #[error(transparent)]
    File(#[from] MeshFileError),
    /// The output exists.
    #[error("{} already exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// Options of filling or repair do not apply to the input.
    #[error("{}: {message}", path.display())]
    NotMeant {
        /// The file.
        path: PathBuf,
        /// The message.
        message: &'static str,
        /// The remedy.
        help: &'static str,
    },
    /// The surface is invalid.
    #[error("{}: {error}", path.display())]
    Surface {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: SurfaceError,
    },
    /// The solid is invalid.
    #[error("{}: {error}", path.display())]
    Solid {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: MeshError,
    },
    /// The curves are invalid.
    #[error("{}: {error}", path.display())]
    Curves {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: PolylineError,
    },
    /// The surface cannot be filled.
    #[error("{}: {error}", path.display())]
    Fill {
        /// The file.
        path: PathBuf,
        /// The reason.
        error: Box<SolidError>,
    },
    /// The conversion was cancelled.
    #[error("meshing was interrupted: {0}")]
    Interrupted(Cause),
}

impl RemeshError {
    /// The remedy; may be empty.
    pub fn help(&self) -> String {
        match self {
            Self::File(error) => error.help(),
            Self::Exists { .. } => "--force replaces it".to_owned(),
            Self::NotMeant { help, .. } => (*help).to_owned(),
            Self::Surface { .. } | Self::Solid { .. } | Self::Curves { .. } => {
                "repair it in the program that made it".to_owned()
            }
            Self::Fill { error, .. } => fill_help(error).to_owned(),
            Self::Interrupted(_) => String::new(),
        }
    }
}

/// A converted mesh before writing.
#[derive(Debug)]
pub struct ConvertedMesh {
    mesh: Mesh,
    curved: CurvedEdges,
    groups: Groups,
    path: PathBuf,
    report: Remeshed,
}

impl ConvertedMesh {
    /// Writes the mesh atomically.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self) -> Result<Remeshed, RemeshError> {
        write_curved((&self.mesh, &self.curved), &self.groups, &self.path)?;
        Ok(self.report)
    }
}

/// The groups of a repaired surface; `origins` has the triangle of the input for each new triangle.
fn groups_of_repaired(groups: &Groups, origins: &[Option<u32>], mesh: &TriMesh) -> Groups {
    let new_elements = |group: &Group| {
        let is_in_group = |origin: &Option<u32>| {
            origin.is_some_and(|origin| group.elements.binary_search(&origin).is_ok())
        };
        let numbered = (0..).zip(origins);
        numbered.filter(|(_, origin)| is_in_group(origin)).map(|(element, _)| element).collect()
    };
    let groups = groups.iter().map(|(name, group)| (name, new_elements(group)));
    groups_of_triangles(groups, &mesh.triangles)
}

/// The groups of boundary faces of a solid, as groups of its boundary mesh.
fn groups_of_boundary(groups: &Groups, solid: &TetMesh) -> Groups {
    let sorted = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let faces: Vec<[u32; 3]> = solid.surface().triangles.into_iter().map(sorted).collect();
    let boundary_elements = |group: &Group| {
        let group_faces: BTreeSet<[u32; 3]> = group.faces.iter().copied().map(sorted).collect();
        let numbered = (0..).zip(&faces);
        numbered.filter(|(_, face)| group_faces.contains(*face)).map(|(index, _)| index).collect()
    };
    let groups = groups.iter().map(|(name, group)| (name, boundary_elements(group)));
    groups_of_triangles(groups, &solid.boundary().triangles)
}

/// Groups with these triangles and their corners as nodes; groups without triangles are dropped.
fn groups_of_triangles<'a>(
    groups: impl Iterator<Item = (&'a String, Vec<u32>)>,
    triangles: &[[u32; 3]],
) -> Groups {
    let group = |elements: Vec<u32>| {
        let corners = elements.iter().flat_map(|&element| triangles[element as usize]);
        let nodes: BTreeSet<u32> = corners.collect();
        Group { nodes: nodes.into_iter().collect(), elements, faces: Vec::new() }
    };
    let nonempty = groups.filter(|(_, elements)| !elements.is_empty());
    nonempty.map(|(name, elements)| (name.clone(), group(elements))).collect()
}

impl Remesh {
    /// Reads, repairs, fills and writes. The output is bitwise reproducible.
    ///
    /// # Errors
    /// If the input is invalid or options do not apply; nothing is written then.
    pub fn run(&self) -> Result<Remeshed, RemeshError> {
        self.make(&TaskContext::unobserved())?.write()
    }

    /// Reads, repairs and fills, without writing. `task` receives the progress and may cancel the conversion.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`RemeshError::Interrupted`].
    pub fn make(&self, task: &TaskContext) -> Result<ConvertedMesh, RemeshError> {
        let target = written_as(&self.output)?;
        if self.existing == Existing::Refuse && self.output.exists() {
            return Err(RemeshError::Exists { path: self.output.clone() });
        }
        let MeshFile { mesh, curved, mut notes, holes, mut groups, .. } =
            read(&self.input, self.others)?;
        self.refuse_unsuitable_options(&mesh, target)?;
        let mut input = self.info(&mesh, &self.input)?;
        input.add_curved(&mesh, &curved);
        let (mut mended, mut warnings) = (None, Vec::from_iter(holes));
        let (mesh, filled) = match mesh {
            mesh @ (Mesh::Solid(_) | Mesh::Curves(_)) => (mesh, None),
            Mesh::Surface(input_surface) => {
                let mut surface = input_surface.clone();
                if self.repair {
                    let repaired = repair(&surface).map_err(|e| self.surface_error(e))?;
                    let (done, left) = (repaired.report.notes(), repaired.remaining_defects());
                    mended = Some(Mended { done, left });
                    groups = groups_of_repaired(&groups, &repaired.origins, &repaired.mesh);
                    surface = repaired.mesh;
                }
                match target {
                    Holds::Surface => (Mesh::Surface(surface), None),
                    Holds::Solid => {
                        let (solid, deviation, creases) =
                            self.fill(&input_surface, &surface, &mut warnings, task)?;
                        let triangle_count = input_surface.triangles.len();
                        let dropped_groups = std::mem::take(&mut groups);
                        if dropped_groups
                            .values()
                            .any(|group| group.elements.len() < triangle_count)
                        {
                            notes.push(
                                "groups of the surface are not carried to the tetrahedra"
                                    .to_owned(),
                            );
                        }
                        (Mesh::Solid(solid), Some((deviation, creases)))
                    }
                }
            }
        };
        let mesh = match (mesh, target) {
            (Mesh::Solid(solid), Holds::Surface) => {
                if groups.values().any(|group| !group.elements.is_empty()) {
                    notes.push(
                        "groups of tetrahedra are not carried to the surface, those of faces are"
                            .to_owned(),
                    );
                }
                groups = groups_of_boundary(&groups, &solid);
                Mesh::Surface(solid.boundary())
            }
            (mesh, _) => mesh,
        };
        let straightened = straightened_note(&mesh, &curved, &self.output);
        let mut output = self.info(&mesh, &self.output)?;
        if straightened.is_none() {
            output.add_curved(&mesh, &curved);
        }
        notes.extend(straightened);
        notes.extend(lost_groups_note(&mesh, &groups, &self.output));
        task.check_interrupt().map_err(RemeshError::Interrupted)?;
        let (deviation, creases) = filled.unzip();
        let report = Remeshed { input, output, notes, warnings, mended, deviation, creases };
        Ok(ConvertedMesh { mesh, curved, groups, path: self.output.clone(), report })
    }

    /// Whether any option of filling is set.
    fn has_fill_options(&self) -> bool {
        self.resolution.is_some() || self.grade.is_some() || self.creases.is_some()
    }

    /// Rejects options that do not apply to this mesh or to the format of the output.
    fn refuse_unsuitable_options(&self, mesh: &Mesh, target: Holds) -> Result<(), RemeshError> {
        let not_meant =
            |message, help| Err(RemeshError::NotMeant { path: self.input.clone(), message, help });
        match mesh {
            Mesh::Curves(_) => not_meant(
                "the file has lines alone, and no faces",
                "use them as they are: `shape: File(...), kind: Rod(radius: ...)` in a scene",
            ),
            Mesh::Solid(_) if self.has_fill_options() => not_meant(
                "the file has tetrahedra already",
                "leave out --size, --tets, --grade and --creases to write the same mesh in \
                 another format; to mesh it anew, write its boundary first: -o boundary.obj",
            ),
            Mesh::Solid(_) if self.repair => not_meant(
                "--repair repairs surfaces, and this is a mesh of tetrahedra",
                "write its boundary first, -o boundary.obj, and fill that",
            ),
            Mesh::Surface(_) if self.others == OtherSolidPolicy::LeaveOut => not_meant(
                "--tets-only is for files with tetrahedra, and this is a surface",
                "leave it out; `-o model.msh` fills the surface with tetrahedra",
            ),
            Mesh::Surface(_) if self.has_fill_options() && target == Holds::Surface => not_meant(
                "--size, --tets, --grade and --creases are for tetrahedra, and the output is a surface",
                "write to a file that takes tetrahedra, such as -o model.msh",
            ),
            _ => Ok(()),
        }
    }

    /// Fills a surface, and measures the deviation of the boundary of the solid from the input; the deviation of the
    /// input from it only where parts of the input do not overlap, because the solid has no boundary inside.
    fn fill(
        &self,
        input: &TriMesh,
        surface: &TriMesh,
        warnings: &mut Vec<String>,
        task: &TaskContext,
    ) -> Result<(TetMesh, Deviation, CreaseReport), RemeshError> {
        let filling = Filling {
            resolution: self.resolution.unwrap_or(Resolution::Tets(DEFAULT_TETS)),
            grade: self.grade.unwrap_or(0),
            creases: self.creases.unwrap_or(DEFAULT_CREASE_ANGLE),
        };
        let filled = fill(surface, filling, task).map_err(|error| match error {
            SolidError::Interrupted(cause) => RemeshError::Interrupted(cause),
            error => RemeshError::Fill { path: self.input.clone(), error: Box::new(error) },
        })?;
        warnings.extend(filled.notes.into_iter().map(|(note, help)| format!("{note}; {help}")));
        let solid = filled.mesh;
        let boundary = solid.boundary();
        let deviation = match filled.has_overlap {
            true => Deviation::one_sided(&boundary, input),
            false => Deviation::two_sided(input, &boundary),
        };
        let deviation = deviation.map_err(|e| self.surface_error(e))?;
        Ok((solid, deviation, filled.creases))
    }

    /// The error of an invalid input surface.
    fn surface_error(&self, error: SurfaceError) -> RemeshError {
        RemeshError::Surface { path: self.input.clone(), error }
    }

    /// The summary of a mesh; errors name the file.
    fn info(&self, mesh: &Mesh, path: &Path) -> Result<MeshInfo, RemeshError> {
        MeshInfo::of(mesh).map_err(|error| match error {
            MeshInfoError::Surface(error) => RemeshError::Surface { path: path.to_owned(), error },
            MeshInfoError::Solid(error) => RemeshError::Solid { path: path.to_owned(), error },
            MeshInfoError::Curves(error) => RemeshError::Curves { path: path.to_owned(), error },
        })
    }
}
