//! Fills the closed surface of an OBJ file with tetrahedra and writes them as a Gmsh file.
//!
//! `cargo run --release -p resile-mesher --example tetrahedralise -- model.obj model.msh 20000`
//!
//! (`sim mesh model.obj -o model.msh --tets 20000` does the same and more.)

#![allow(clippy::print_stdout, clippy::print_stderr, reason = "an example talks to people")]

use resile_mesh::read::{Groups, read_obj};
use resile_mesh::write::write_gmsh;
use resile_mesher::creases::{Creases, DEFAULT_CREASE_ANGLE};
use resile_mesher::signed_distance::fill_surface;
use resile_mesher::stuffing::{Pieces, Resolution, Stuffing};
use std::error::Error;
use std::ffi::{OsStr, OsString};
use std::fs::File;
use std::io::{BufWriter, Write as _};
use std::process::ExitCode;

fn main() -> ExitCode {
    let arguments: Vec<OsString> = std::env::args_os().skip(1).collect();
    let [surface, solid, tets] = &arguments[..] else {
        eprintln!("usage: tetrahedralise SURFACE.obj SOLID.msh TETRAHEDRA");
        return ExitCode::from(2);
    };
    match tetrahedralise(surface, solid, tets) {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("error: {error}");
            ExitCode::FAILURE
        }
    }
}

fn tetrahedralise(surface: &OsStr, solid: &OsStr, tets: &OsStr) -> Result<(), Box<dyn Error>> {
    let read = read_obj(File::open(surface)?)?;
    // Sizes of cells follow from the number of elements that is wanted; they may double once
    // in size away from the surface.
    let resolution = Resolution::Tets(tets.to_string_lossy().parse()?);
    let stuffing = Stuffing { resolution, grade: 1, pieces: Pieces::Largest };
    let filled = fill_surface(&read.mesh, &stuffing, Creases::Keep(DEFAULT_CREASE_ANGLE))?;
    // What the surface lacked and what of it was lost is reported, not refused.
    for note in filled.closure.notes().into_iter().chain(filled.solid.report.notes()) {
        eprintln!("note: {note}");
    }
    let mesh = filled.solid.mesh;
    let mut file = BufWriter::new(File::create(solid)?);
    write_gmsh(&mesh, &Groups::new(), &mut file)?;
    file.flush()?;
    let (nodes, tets, volume) = (mesh.positions.len(), mesh.tets.len(), mesh.volume());
    println!("{nodes} nodes, {tets} tetrahedra, {volume:.6e} m^3 in {}", solid.display());
    Ok(())
}
