//! From one mesh file to another: filled, mended or only written anew.

use crate::info::{MeshInfo, MeshInfoError};
use crate::mesh_file::{
    Filling, Group, Groups, Mesh, MeshFile, MeshFileError, OtherSolids, Resolution, fill,
    fill_help, groups_lost, read, write, written_as,
};
use resile_mesh::read::Holds;
use resile_mesh::repair::repair;
use resile_mesh::{Deviation, MeshError, PolylineError, SurfaceError, TetMesh, TriMesh};
use resile_mesher::creases::{CreaseReport, USUAL_ANGLE};
use resile_mesher::signed_distance::SolidError;
use resile_watch::{Cause, Watched};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// About so many tetrahedra fill a surface if nothing else is said.
pub const USUAL_TETS: usize = 20_000;

/// What to do if the output is there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Existing {
    /// Leave it and fail.
    Refuse,
    /// Replace it.
    Replace,
}

/// What is asked for.
#[derive(Debug, Clone)]
pub struct Remesh {
    /// The file to read.
    pub input: PathBuf,
    /// The file to write.
    pub output: PathBuf,
    /// How fine a surface is filled; [`USUAL_TETS`] if nothing is said.
    pub resolution: Option<Resolution>,
    /// How often the cells of a surface that is filled may double in size inside; 0 if nothing
    /// is said.
    pub grade: Option<u8>,
    /// Edges at which a surface that is filled turns by more than so many degrees are kept;
    /// [`USUAL_ANGLE`] if nothing is said.
    pub creases: Option<f64>,
    /// Whether a surface is mended first.
    pub repair: bool,
    /// What to do with a solid that is not all of tetrahedra.
    pub others: OtherSolids,
    /// What to do with a file that is there.
    pub existing: Existing,
}

/// What was done.
#[derive(Debug, Clone, PartialEq)]
pub struct Remeshed {
    /// What was read.
    pub input: MeshInfo,
    /// What was written.
    pub output: MeshInfo,
    /// What was left out of the file, or changed.
    pub notes: Vec<String>,
    /// What the surface that was filled lacks, and what of it or of a solid was lost, each with
    /// what to do.
    pub warnings: Vec<String>,
    /// What a repair did.
    pub mended: Option<Mended>,
    /// How far the two surfaces are from each other, if the shape was meshed anew.
    pub deviation: Option<Deviation>,
    /// How its creases came out then.
    pub creases: Option<CreaseReport>,
}

/// What a repair did, in sentences.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Mended {
    /// What was done.
    pub done: Vec<String>,
    /// What was left as it was.
    pub left: Vec<String>,
}

/// Why nothing was written.
#[derive(Debug, Error)]
#[non_exhaustive]
pub enum RemeshError {
    /// One of the files.
    #[error(transparent)]
    File(#[from] MeshFileError),
    /// The output is there.
    #[error("{} already exists", path.display())]
    Exists {
        /// The file.
        path: PathBuf,
    },
    /// A resolution or a repair of what is neither filled nor a surface.
    #[error("{}: {message}", path.display())]
    NotMeant {
        /// The file.
        path: PathBuf,
        /// What does not fit.
        message: &'static str,
        /// What to do.
        help: &'static str,
    },
    /// What is in the file is no surface.
    #[error("{}: {error}", path.display())]
    Surface {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: SurfaceError,
    },
    /// What is in the file is no solid.
    #[error("{}: {error}", path.display())]
    Solid {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: MeshError,
    },
    /// What is in the file are no curves.
    #[error("{}: {error}", path.display())]
    Curves {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: PolylineError,
    },
    /// The surface cannot be filled.
    #[error("{}: {error}", path.display())]
    Fill {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        error: Box<SolidError>,
    },
    /// The interrupt was raised.
    #[error("meshing was interrupted: {0}")]
    Interrupted(Cause),
}

impl RemeshError {
    /// What to do about it; may be empty.
    pub fn help(&self) -> String {
        match self {
            Self::File(error) => error.help(),
            Self::Exists { .. } => "--force replaces it".to_owned(),
            Self::NotMeant { help, .. } => (*help).to_owned(),
            Self::Surface { .. } | Self::Solid { .. } | Self::Curves { .. } => {
                "mend it where it was made".to_owned()
            }
            Self::Fill { error, .. } => fill_help(error).to_owned(),
            Self::Interrupted(_) => String::new(),
        }
    }
}

/// A mesh that is not written yet.
#[derive(Debug)]
pub struct Made {
    mesh: Mesh,
    groups: Groups,
    path: PathBuf,
    done: Remeshed,
}

impl Made {
    /// Writes it, whole or not at all.
    ///
    /// # Errors
    /// If the file cannot be written.
    pub fn write(self) -> Result<Remeshed, RemeshError> {
        write(&self.mesh, &self.groups, &self.path)?;
        Ok(self.done)
    }
}

/// Groups of a surface of which triangles were left out: each triangle with the one that it was.
fn kept_groups(groups: &Groups, origins: &[Option<u32>], mesh: &TriMesh) -> Groups {
    let of_elements = |group: &Group| {
        let own = |origin: &Option<u32>| {
            origin.is_some_and(|origin| group.elements.binary_search(&origin).is_ok())
        };
        (0..).zip(origins).filter(|(_, origin)| own(origin)).map(|(element, _)| element).collect()
    };
    let groups = groups.iter().map(|(name, group)| (name, of_elements(group)));
    groups_of_triangles(groups, &mesh.triangles)
}

/// The faces of groups that are on the boundary of a solid, as groups of that surface.
fn groups_of_boundary(groups: &Groups, solid: &TetMesh) -> Groups {
    let sorted = |mut face: [u32; 3]| {
        face.sort_unstable();
        face
    };
    let faces: Vec<[u32; 3]> = solid.surface().triangles.into_iter().map(sorted).collect();
    let of_faces = |group: &Group| {
        let own: BTreeSet<[u32; 3]> = group.faces.iter().copied().map(sorted).collect();
        (0..).zip(&faces).filter(|(_, face)| own.contains(*face)).map(|(place, _)| place).collect()
    };
    let groups = groups.iter().map(|(name, group)| (name, of_faces(group)));
    groups_of_triangles(groups, &solid.boundary().triangles)
}

/// Groups of these triangles and their corners; those without any are left out.
fn groups_of_triangles<'a>(
    groups: impl Iterator<Item = (&'a String, Vec<u32>)>,
    triangles: &[[u32; 3]],
) -> Groups {
    let group = |elements: Vec<u32>| {
        let corners = elements.iter().flat_map(|&element| triangles[element as usize]);
        let nodes: BTreeSet<u32> = corners.collect();
        Group { nodes: nodes.into_iter().collect(), elements, faces: Vec::new() }
    };
    let some = groups.filter(|(_, elements)| !elements.is_empty());
    some.map(|(name, elements)| (name.clone(), group(elements))).collect()
}

impl Remesh {
    /// Reads, mends, fills and writes. The same input gives the same file, to the bit.
    ///
    /// # Errors
    /// If anything is wrong with the input, or does not fit together; then nothing is
    /// written.
    pub fn run(&self) -> Result<Remeshed, RemeshError> {
        self.make(&Watched::unobserved())?.write()
    }

    /// All but the writing, watched: progress is counted, and the work ends soon after
    /// `watched` says stop.
    ///
    /// # Errors
    /// As [`run`](Self::run), and [`RemeshError::Interrupted`].
    pub fn make(&self, watched: &Watched) -> Result<Made, RemeshError> {
        let target = written_as(&self.output)?;
        if self.existing == Existing::Refuse && self.output.exists() {
            return Err(RemeshError::Exists { path: self.output.clone() });
        }
        let MeshFile { mesh, mut notes, holes, mut groups, .. } = read(&self.input, self.others)?;
        self.refuse_misfits(&mesh, target)?;
        let input = self.info(&mesh, &self.input)?;
        let (mut mended, mut warnings) = (None, Vec::from_iter(holes));
        let (mesh, filled) = match mesh {
            mesh @ (Mesh::Solid(_) | Mesh::Curves(_)) => (mesh, None),
            Mesh::Surface(given) => {
                let mut surface = given.clone();
                if self.repair {
                    let repaired = repair(&surface).map_err(|e| self.surface(e))?;
                    let (done, left) = (repaired.report.notes(), repaired.left());
                    mended = Some(Mended { done, left });
                    groups = kept_groups(&groups, &repaired.origins, &repaired.mesh);
                    surface = repaired.mesh;
                }
                match target {
                    Holds::Surface => (Mesh::Surface(surface), None),
                    Holds::Solid => {
                        let (solid, deviation, creases) =
                            self.fill(&given, &surface, &mut warnings, watched)?;
                        let all = given.triangles.len();
                        let parts = std::mem::take(&mut groups);
                        if parts.values().any(|group| group.elements.len() < all) {
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
        notes.extend(groups_lost(&mesh, &groups, &self.output));
        let output = self.info(&mesh, &self.output)?;
        watched.go_on().map_err(RemeshError::Interrupted)?;
        let (deviation, creases) = filled.unzip();
        let done = Remeshed { input, output, notes, warnings, mended, deviation, creases };
        Ok(Made { mesh, groups, path: self.output.clone(), done })
    }

    /// Whether anything was said that is for filling alone.
    fn fills(&self) -> bool {
        self.resolution.is_some() || self.grade.is_some() || self.creases.is_some()
    }

    fn refuse_misfits(&self, mesh: &Mesh, target: Holds) -> Result<(), RemeshError> {
        let not_meant =
            |message, help| Err(RemeshError::NotMeant { path: self.input.clone(), message, help });
        match mesh {
            Mesh::Curves(_) => not_meant(
                "the file has lines alone, and no faces",
                "use them as they are: `shape: File(...), kind: Rod(radius: ...)` in a scene",
            ),
            Mesh::Solid(_) if self.fills() => not_meant(
                "the file has tetrahedra already",
                "leave out --size, --tets, --grade and --creases to write the same mesh in \
                 another format; to mesh it anew, write its boundary first: -o boundary.obj",
            ),
            Mesh::Solid(_) if self.repair => not_meant(
                "--repair mends surfaces, and this is a mesh of tetrahedra",
                "write its boundary first, -o boundary.obj, and fill that",
            ),
            Mesh::Surface(_) if self.others == OtherSolids::LeaveOut => not_meant(
                "--tets-only is for files with tetrahedra, and this is a surface",
                "leave it out; `-o model.msh` fills the surface with tetrahedra",
            ),
            Mesh::Surface(_) if self.fills() && target == Holds::Surface => not_meant(
                "--size, --tets, --grade and --creases are for tetrahedra, and the output is a surface",
                "write to a file that takes tetrahedra, such as -o model.msh",
            ),
            _ => Ok(()),
        }
    }

    fn fill(
        &self,
        given: &TriMesh,
        surface: &TriMesh,
        warnings: &mut Vec<String>,
        watched: &Watched,
    ) -> Result<(TetMesh, Deviation, CreaseReport), RemeshError> {
        let filling = Filling {
            resolution: self.resolution.unwrap_or(Resolution::Tets(USUAL_TETS)),
            grade: self.grade.unwrap_or(0),
            creases: self.creases.unwrap_or(USUAL_ANGLE),
        };
        let filled = fill(surface, filling, watched).map_err(|error| match error {
            SolidError::Interrupted(cause) => RemeshError::Interrupted(cause),
            error => RemeshError::Fill { path: self.input.clone(), error: Box::new(error) },
        })?;
        warnings.extend(filled.notes.into_iter().map(|(note, help)| format!("{note}; {help}")));
        let solid = filled.mesh;
        let deviation =
            Deviation::both_ways(given, &solid.boundary()).map_err(|e| self.surface(e))?;
        Ok((solid, deviation, filled.creases))
    }

    fn surface(&self, error: SurfaceError) -> RemeshError {
        RemeshError::Surface { path: self.input.clone(), error }
    }

    fn info(&self, mesh: &Mesh, path: &Path) -> Result<MeshInfo, RemeshError> {
        MeshInfo::of(mesh).map_err(|error| match error {
            MeshInfoError::Surface(error) => RemeshError::Surface { path: path.to_owned(), error },
            MeshInfoError::Solid(error) => RemeshError::Solid { path: path.to_owned(), error },
            MeshInfoError::Curves(error) => RemeshError::Curves { path: path.to_owned(), error },
        })
    }
}
