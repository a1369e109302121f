//! Two spheres of 10,092 triangles and a radius of 10 cm, 1 mm apart.

use super::common;
use resile_system::Vec3;

/// The spheres at the start and at the end of a step.
pub(crate) struct Spheres {
    /// Nodes of one sphere, around the origin.
    pub(crate) rest: Vec<Vec3>,
    /// Triangles of one sphere.
    pub(crate) triangles: Vec<[u32; 3]>,
    /// Nodes of the first, then of the second.
    pub(crate) x: Vec<Vec3>,
    /// The same when the second has come 2 mm nearer.
    pub(crate) to: Vec<Vec3>,
}

impl Spheres {
    /// The second is turned, so that nothing is aligned.
    pub(crate) fn new() -> Self {
        let (cube, triangles) = common::cube(29);
        let rest: Vec<Vec3> =
            cube.iter().map(|p| (*p - Vec3::splat(0.5)).normalize() * 0.1).collect();
        let turn = common::rotation(Vec3::new(0.3, 0.5, 0.2));
        let place = Vec3::new(0.03, 0.02, 0.0).normalize() * 0.201;
        let mut x = rest.clone();
        x.extend(rest.iter().map(|p| turn(*p) + place));
        let mut to = x.clone();
        to[rest.len()..].iter_mut().for_each(|p| *p -= Vec3::new(2e-3, 1e-3, 0.0));
        Self { rest, triangles, x, to }
    }
}
