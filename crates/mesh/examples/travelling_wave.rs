//! Makes the animation of `scenes/animated/wave.ron`: a trough along which waves run.
//!
//! ```text
//! cargo run -p resile-mesh --example travelling_wave -- scenes/animated
//! ```
//!
//! It writes `wave.obj`, the mesh in the first frame, and `wave.pc2`, 25 frames of a second, of which
//! the last is the first. A vertex at `x` and `z` is at the height
//!
//! ```text
//!   0.05 sin(2 pi (x / 0.4 - t)) + 0.12 (z / 0.2)^4
//! ```
//!
//! in metres and seconds.
#![allow(clippy::disallowed_methods, reason = "a file that is kept, not a result of a run")]

use resile_math::Vec3;
use resile_mesh::generate::Sheet;
use resile_mesh::read::Groups;
use resile_mesh::write::write_obj;
use std::error::Error;
use std::f64::consts::TAU;
use std::fs::{self, File};
use std::path::PathBuf;

/// From one time of a period to the same of the next.
const FRAMES: i32 = 24;

fn main() -> Result<(), Box<dyn Error>> {
    let folder = std::env::args_os().nth(1).map_or_else(|| PathBuf::from("."), PathBuf::from);
    let mut mesh = Sheet { size: [1.2, 0.4], cells: [36, 6] }.build()?;
    let flat: Vec<[f64; 2]> = mesh.positions.iter().map(|p| [p.x, p.z]).collect();
    let place = |time: f64| {
        let height =
            |x: f64, z: f64| 0.05 * (TAU * (x / 0.4 - time)).sin() + 0.12 * (z / 0.2).powi(4);
        flat.iter().map(|&[x, z]| Vec3::new(x, height(x, z), z)).collect::<Vec<Vec3>>()
    };
    let mut cache = b"POINTCACHE2\0".to_vec();
    cache.extend(1_i32.to_le_bytes());
    cache.extend(i32::try_from(flat.len())?.to_le_bytes());
    cache.extend(0.0_f32.to_le_bytes());
    cache.extend(1.0_f32.to_le_bytes());
    cache.extend((FRAMES + 1).to_le_bytes());
    for frame in 0..=FRAMES {
        let points = place(f64::from(frame % FRAMES) / f64::from(FRAMES));
        let numbers = points.iter().flat_map(|point| point.to_array());
        cache.extend(numbers.flat_map(|number| (number as f32).to_le_bytes()));
    }
    fs::write(folder.join("wave.pc2"), cache)?;
    mesh.positions = place(0.0);
    write_obj(&mesh, &Groups::new(), File::create(folder.join("wave.obj"))?)?;
    Ok(())
}
