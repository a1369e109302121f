//! The exact impulse between two polyhedra that meet without friction.

use resile_math::{Quat, Vec3};
use resile_mesh::generate::Icosphere;
use std::collections::BTreeSet;

/// Part of a polyhedron around the point where another one meets it.
struct Cap {
    positions: Vec<Vec3>,
    vertices: BTreeSet<u32>,
    edges: BTreeSet<[u32; 2]>,
    triangles: Vec<[u32; 3]>,
}

impl Cap {
    /// The triangles of a sphere of radius one, turned, whose corners are at most three edges away from `direction`.
    fn new(subdivisions: usize, turn: Quat, direction: Vec3) -> Self {
        let sphere = Icosphere { radius: 1.0, subdivisions }.build().expect("a proper sphere");
        let positions: Vec<Vec3> = sphere.positions.iter().map(|p| turn * *p).collect();
        let edge = 1.2 / 2f64.powi(subdivisions as i32);
        let is_near = |i: &u32| positions[*i as usize].distance(direction) < 3.0 * edge;
        let triangles: Vec<[u32; 3]> =
            sphere.triangles.into_iter().filter(|t| t.iter().all(is_near)).collect();
        let sides = |[a, b, c]: &[u32; 3]| [[*a, *b], [*b, *c], [*c, *a]];
        let edges = triangles.iter().flat_map(sides).map(|[a, b]| [a.min(b), a.max(b)]).collect();
        let vertices = triangles.iter().flatten().copied().collect();
        Self { positions, vertices, edges, triangles }
    }

    fn at<const N: usize>(&self, points: [u32; N]) -> [Vec3; N] {
        points.map(|i| self.positions[i as usize])
    }
}

/// Features that meet after a way along x, the point on the first of them, and their normal.
struct Meeting {
    way: f64,
    point: Vec3,
    normal: Vec3,
}

/// Where the line through `p` along x meets a triangle.
fn on_triangle(p: Vec3, [a, b, c]: [Vec3; 3]) -> Option<Meeting> {
    let normal = (b - a).cross(c - a);
    let inside = |q: Vec3, r: Vec3| (q - p).cross(r - p).x * normal.x.signum() >= 0.0;
    let way = normal.dot(a - p) / normal.x;
    let meets = normal.x != 0.0 && inside(a, b) && inside(b, c) && inside(c, a);
    meets.then_some(Meeting { way, point: p, normal })
}

/// Where the first of two edges meets the second one along x.
fn on_edge([a, b]: [Vec3; 2], [c, d]: [Vec3; 2]) -> Option<Meeting> {
    let (along, other, offset) = (b - a, d - c, c - a);
    let normal = along.cross(other);
    let [s, t] = [other, along].map(|edge| offset.cross(edge).x / normal.x);
    let meets = (0.0..=1.0).contains(&s) && (0.0..=1.0).contains(&t);
    let way = normal.dot(offset) / normal.x;
    meets.then_some(Meeting { way, point: a + along * s, normal })
}

/// The first meeting of `a`, which moves along x, with `b`; both have their centres at the origin.
fn first_meeting(a: &Cap, b: &Cap) -> Meeting {
    let mut meetings = Vec::new();
    for vertex in &a.vertices {
        let [p] = a.at([*vertex]);
        meetings.extend(b.triangles.iter().filter_map(|t| on_triangle(p, b.at(*t))));
    }
    for vertex in &b.vertices {
        let [p] = b.at([*vertex]);
        let backwards = |m: Meeting| Meeting { way: -m.way, point: p + Vec3::X * m.way, ..m };
        meetings.extend(a.triangles.iter().filter_map(|t| on_triangle(p, a.at(*t))).map(backwards));
    }
    for edge in &a.edges {
        meetings.extend(b.edges.iter().filter_map(|other| on_edge(a.at(*edge), b.at(*other))));
    }
    let first = meetings.into_iter().min_by(|a, b| a.way.total_cmp(&b.way));
    first.expect("the spheres face each other")
}

/// The larger speed with which the surfaces of two equal homogeneous spheres of facets turn after they met head on at unit
/// speed, the second one turned by `turn`, without friction and loss.
///
/// They are rigid. The impulse acts along the normal of the features that meet first, `J = 2 v.n / (2/m + sum |r x n|^2 / I)`,
/// and its torque is `J |r x n|` with the point `r` relative to each centre.
pub(super) fn surface_speed(subdivisions: usize, turn: Quat) -> f64 {
    let a = Cap::new(subdivisions, Quat::IDENTITY, Vec3::X);
    let b = Cap::new(subdivisions, turn, -Vec3::X);
    let Meeting { way, point, normal } = first_meeting(&a, &b);
    let normal = normal.normalize();
    let levers = [point, point + Vec3::X * way].map(|r| r.cross(normal).length());
    // With the mass and the radius one.
    let inverse_inertia = 2.5;
    let admittance = 2.0 + inverse_inertia * levers.iter().map(|l| l * l).sum::<f64>();
    let impulse = 2.0 * normal.x.abs() / admittance;
    inverse_inertia * impulse * levers[0].max(levers[1])
}
