//! Contact alone: vertices and a broad phase of one's own, and nothing of resile but this crate.
//!
//!     cargo run -p resile-contact --example alone

#![allow(clippy::print_stdout, reason = "an example shows what it found")]

use resile_contact::{Barrier, BarrierPotential, Candidates, CollisionMesh, CollisionScene};
use resile_contact::{PrimitivePairs, Psd, Vec3, time_of_impact};
use std::ops::Range;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    // Two tetrahedra; the vertices of the second come behind those of the first.
    let rest = [Vec3::ZERO, Vec3::X, Vec3::Y, Vec3::Z];
    let faces = [[0, 2, 1], [0, 1, 3], [1, 2, 3], [0, 3, 2]];
    let mesh = || CollisionMesh::new(&rest, &faces);
    let scene = CollisionScene::of_meshes([mesh()?, mesh()?]);
    let above = rest.map(|p| p + Vec3::new(-0.2, -0.2, 1.01));
    let from: Vec<Vec3> = rest.into_iter().chain(above).collect();
    let to: Vec<Vec3> = rest.into_iter().chain(above.map(|p| p - Vec3::Z)).collect();

    // The broad phase: with so few primitives, all pairs of one and the other.
    let all = |first: Range<usize>, second: Range<usize>| {
        first.flat_map(move |i| second.clone().map(move |j| [i, j]))
    };
    let pairs = PrimitivePairs {
        vertex_faces: all(0..4, 4..8).chain(all(4..8, 0..4)).collect(),
        edge_edges: all(0..6, 6..12).collect(),
        ..PrimitivePairs::default()
    };
    let candidates = Candidates::from_pairs(&scene, &pairs)?;

    // How far can the second one fall, and what does the barrier say before?
    let fraction = time_of_impact(&scene, &candidates, &from, &to);
    let barrier = BarrierPotential { barrier: Barrier::ClampedLog, d_hat: 0.02, kappa: 1e5 };
    let energy = barrier.value(&scene, &candidates, &from);
    let gradient = barrier.gradient(&scene, &candidates, &from);
    let hessian = barrier.hessian(&scene, &candidates, &from, Psd::Clamp);

    let force: Vec3 = -gradient[4..].iter().sum::<Vec3>();
    assert!(energy > 0.0 && force.z > 0.0 && fraction < 0.01);
    println!("{fraction:.4} of the path is free of collisions");
    println!("{energy:.3} J push the second one up with {:.1} N", force.z);
    println!("the Hessian has {} blocks", hessian.iter().count());
    Ok(())
}
