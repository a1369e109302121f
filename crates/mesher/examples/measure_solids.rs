//! Measures solids against the surface that they are to fill, of any mesher:
//!
//! ```text
//! cargo run --release -p resile-mesher --example measure_solids -- bunny.obj 5000 20000 other.msh
//! ```
//!
//! The first argument is a surface. Every further one is a row of a table: a number is a
//! solid that is made here, of about so many tetrahedra, on one thread (`20000:3` lets cells
//! double in size three times, `20000:0:180` cuts creases off); a name is a file with a
//! solid. Distances are the worse of both ways between the surfaces, volumes and
//! distances in per cent, the latter of the diagonal of the surface's box.
#![allow(clippy::print_stdout, reason = "a program to be run by hand")]

use resile_mesh::read::{
    Format, OtherSolidPolicy, read_gmsh, read_medit, read_obj, read_off, read_ply, read_stl,
    read_tetgen, read_vtk, read_vtu,
};
use resile_mesh::{Deviation, TetMesh, TriMesh};
use resile_mesher::creases::Creases;
use resile_mesher::signed_distance::fill_surface;
use resile_mesher::stuffing::{Pieces, Resolution, Stuffing};
use std::error::Error;
use std::ffi::OsString;
use std::fs::File;
use std::path::Path;
use std::time::Instant;

fn main() -> Result<(), Box<dyn Error>> {
    let words = std::env::args_os().skip(1).map(OsString::into_string);
    let words = words.collect::<Result<Vec<_>, _>>();
    let words = words.map_err(|word| format!("{} is not UTF-8", word.display()))?;
    let mut arguments = words.into_iter();
    let Some(file) = arguments.next() else {
        return Err("measure_solids SURFACE [TETS|FILE]...".into());
    };
    let surface = read_surface(&file)?;
    println!("{file}: {} triangles", surface.triangles.len());
    println!("|  | tets | seconds | smallest angle | median | inverted | volume | largest | rms |");
    println!("|---|---|---|---|---|---|---|---|---|");
    for argument in arguments {
        let (solid, seconds) = match Request::new(&argument) {
            Some(request) => request.fill(&surface)?,
            None => (read_solid(&argument)?, "-".to_owned()),
        };
        println!("| {argument} {}", row(&surface, &solid, &seconds)?);
    }
    Ok(())
}

/// A solid to be made here.
struct Request {
    tets: usize,
    grade: u8,
    creases: f64,
}

impl Request {
    /// `None` if a part is not a number.
    fn new(argument: &str) -> Option<Self> {
        let mut parts = argument.split(':');
        let tets = parts.next()?.parse().ok()?;
        let grade = parts.next().map_or(Some(0), |part| part.parse().ok())?;
        let creases = parts.next().map_or(Some(40.0), |part| part.parse().ok())?;
        Some(Self { tets, grade, creases })
    }

    fn fill(&self, surface: &TriMesh) -> Result<(TetMesh, String), Box<dyn Error>> {
        let (resolution, pieces) = (Resolution::Tets(self.tets), Pieces::Largest);
        let stuffing = Stuffing { resolution, grade: self.grade, pieces };
        let one = rayon::ThreadPoolBuilder::new().num_threads(1).build()?;
        let start = Instant::now();
        let filled =
            one.install(|| fill_surface(surface, &stuffing, Creases::Keep(self.creases)))?;
        Ok((filled.solid.mesh, format!("{:.2}", start.elapsed().as_secs_f64())))
    }
}

fn row(surface: &TriMesh, solid: &TetMesh, seconds: &str) -> Result<String, Box<dyn Error>> {
    let mut angles = solid.smallest_dihedrals();
    angles.sort_by(f64::total_cmp);
    let (Some(smallest), Some(median)) = (angles.first(), angles.get(angles.len() / 2)) else {
        return Err("the solid is empty".into());
    };
    let volume = 100.0 * (solid.volume() / surface.enclosed_volume() - 1.0);
    let apart = Deviation::two_sided(surface, &solid.boundary())?;
    let share = 100.0 / surface.bounds().ok_or("the surface is empty")?.size().length();
    Ok(format!(
        "| {} | {seconds} | {smallest:.2} | {median:.1} | {} | {volume:+.2} | {:.3} | {:.3} |",
        solid.tets.len(),
        solid.inverted().len(),
        apart.largest * share,
        apart.root_mean_square * share
    ))
}

fn read_surface(file: &str) -> Result<TriMesh, Box<dyn Error>> {
    let from = File::open(file)?;
    Ok(match Format::of_name(file) {
        Some(Format::Obj) => read_obj(from)?.mesh,
        Some(Format::Off) => read_off(from)?.mesh,
        Some(Format::Ply) => read_ply(from)?.mesh,
        Some(Format::Stl) => read_stl(from)?.mesh,
        _ => return Err(format!("{file}: no ending of a surface").into()),
    })
}

fn read_solid(file: &str) -> Result<TetMesh, Box<dyn Error>> {
    let from = File::open(file)?;
    Ok(match Format::of_name(file) {
        Some(Format::Gmsh) => read_gmsh(from, OtherSolidPolicy::Refuse)?.mesh,
        Some(Format::Medit) => read_medit(from, OtherSolidPolicy::Refuse)?.mesh,
        Some(Format::Vtk) => read_vtk(from, OtherSolidPolicy::Refuse)?.mesh,
        Some(Format::Vtu) => read_vtu(from, OtherSolidPolicy::Refuse)?.mesh,
        Some(Format::TetGen) => {
            let nodes = File::open(Path::new(file).with_extension("node"))?;
            let elements = File::open(Path::new(file).with_extension("ele"))?;
            read_tetgen(nodes, elements)?.mesh
        }
        _ => return Err(format!("{file}: no ending of a solid").into()),
    })
}
