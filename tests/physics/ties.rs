//! What is tied to something else: held nodes that follow an obstacle, springs to bodies, seams.

use super::Simulation;
use super::settle::settle;
use resile_math::{Mat3, Vec3};
use resile_mesh::TriMesh;
use resile_mesh::generate::Sheet;
use resile_mesh::read::Groups;
use resile_mesh::write::write_obj;
use std::fs::File;
use tempfile::TempDir;

/// Where frame `k` has what begins at `x`.
fn carried(x: Vec3, k: usize) -> Vec3 {
    let turn = Mat3::from_axis_angle(Vec3::new(1.0, 2.0, -0.5).normalize(), 0.3 * k as f64);
    turn * x + Vec3::new(0.1, 0.05, -0.2) * k as f64
}

/// A plate of 0.4 m as numbered OBJ files, ten a second, that moves as one.
fn plate() -> TempDir {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let sheet = Sheet { size: [0.4, 0.4], cells: [3, 3] }.build().expect("a sheet");
    for k in 0..4 {
        let positions = sheet.positions.iter().map(|x| carried(*x, k)).collect();
        let mesh = TriMesh { positions, triangles: sheet.triangles.clone() };
        let file = File::create(folder.path().join(format!("f_{k}.obj"))).expect("a new file");
        write_obj(&mesh, &Groups::new(), file).expect("it is written");
    }
    folder
}

fn scene(bodies: &str, obstacles: &str, contact: &str, more: &str) -> String {
    format!(
        r#"(
            version: 1,
            materials: {{
                "cloth": (density: 300, model: StVK(young: 1e5, poisson: 0.3)),
                "stiff": (density: 1000, model: Orthogonal(stiffness: 1e8)),
            }},
            bodies: [{bodies}],
            obstacles: [{obstacles}],
            contact: {contact},
            {more}
        )"#
    )
}

const CONTACT: &str = "Barrier(d_hat: 2e-3, kappa: 1e5, friction_rule: Min)";
const EULER: &str = "gravity: (0, 0, 0), integrator: ImplicitEuler, time: (step: \"1/40\", duration: 1), solver: (tolerance: 1e-9),";

/// A cape of which one edge is held a centimetre above a plate; at each frame the edge is where the plate has carried
/// it, distance and direction included.
#[test]
fn held_nodes_follow_a_sampled_obstacle_with_their_offset() {
    let folder = plate();
    let path = folder.path().display();
    let plate = format!(
        "Animated(name: \"plate\", file: \"{path}/f_0.obj\", frames: \"{path}/f_#.obj\", frame_rate: 10, \
         interpolation: Linear, after: Hold, friction: 0)"
    );
    let cape = "(name: \"cape\", shape: Sheet(size: (0.2, 0.1), cells: (4, 2)), kind: Shell(thickness: 1e-3), \
         material: \"cloth\", friction: 0, placement: (translate: (0.03, 0.01, 0.02)), \
         hold: [(region: Plane(point: (0, 0, 0.07), normal: (0, 0, 1)), motion: Follow(\"plate\"))])";
    let mut run = Simulation::new(&scene(cape, &plate, CONTACT, EULER));
    let start = run.world.state(0).positions.clone();
    let held: Vec<usize> = (0..start.len()).filter(|&i| start[i].z > 0.069).collect();
    assert_eq!(held.len(), 5);
    let record = run.advance();
    assert!(record.work[0].abs() > 1e-6, "the plate moves the cape: {} J", record.work[0]);
    for k in 1..4 {
        while run.steps < 4 * k {
            run.advance();
        }
        for &i in &held {
            let off = run.world.state(0).positions[i].distance(carried(start[i], k as usize));
            assert!(off < 1e-9, "node {i} of frame {k} is {off} m off");
        }
        assert!(run.world.intersections(1).is_empty());
    }
}

/// Following an obstacle that moves by keys is to be moved by these keys.
#[test]
fn held_nodes_follow_a_rigid_obstacle() {
    let motion = "Keys(keys: [(time: 0, translate: (0.1, 0, 0), rotate: (axis: (0, 1, 0), degrees: 20)), \
         (time: 1, rotate: (axis: (0, 1, 0), degrees: 200))], pivot: (0, 0, 0), interpolation: Smooth)";
    let wheel = format!(
        "Shape(name: \"wheel\", shape: Box(size: (0.2, 0.02, 0.2), cells: (1, 1, 1)), friction: 0, motion: {motion})"
    );
    let flag = "(name: \"flag\", shape: Sheet(size: (0.1, 0.1), cells: (2, 2)), kind: Shell(thickness: 1e-3), \
         material: \"cloth\", friction: 0, placement: (translate: (0.1, 0.1, 0)), \
         hold: [(region: Nodes([0, 1, 2]), motion: Follow(\"wheel\"))])";
    let mut run = Simulation::new(&scene(flag, &wheel, "Off", EULER));
    let start = run.world.state(0).positions.clone();
    let turn = |degrees: f64| Mat3::from_axis_angle(Vec3::Y, degrees.to_radians());
    // Where the wheel has them before its first pose.
    let own = |x: Vec3| turn(-20.0) * (x - Vec3::X * 0.1);
    for _ in 0..40 {
        run.advance();
    }
    for (i, x) in start.iter().enumerate().take(3) {
        let expected = turn(200.0) * own(*x);
        let off = run.world.state(0).positions[i].distance(expected);
        assert!(off < 1e-12, "{off} m");
    }
}

/// A weight on four springs of 50 N/m below a beam that is held: it sinks by `m g / 4 k`. Begun 2 mm below, where
/// contact just does not act, it hangs as if there were none.
#[test]
fn tied_weight_sinks_by_weight_over_stiffness() {
    let beam = |kind: &str, material: &str| {
        format!(
            "(name: \"beam\", shape: Box(size: (0.3, 0.1, 0.1), cells: (6, 2, 2)), kind: {kind}, material: \"{material}\", \
             friction: 0, hold: [(region: All, motion: Fixed)])"
        )
    };
    let bob = "(name: \"bob\", shape: Box(size: (0.1, 0.02, 0.1), cells: (1, 1, 1)), kind: Affine, material: \"stiff\", \
         friction: 0, placement: (translate: (0.02, -0.062, 0)), \
         attach: [(region: Plane(point: (0, -0.053, 0), normal: (0, 1, 0)), stiffness: 50, to: \"beam\")])";
    let more = "gravity: (0, -9.81, 0), integrator: ImplicitEuler, time: (step: \"1/60\", duration: 1), solver: (tolerance: 1e-9),";
    for (kind, material) in [("Affine", "stiff"), ("Solid", "cloth")] {
        let bodies = format!("{}, {bob}", beam(kind, material));
        let mut run = Simulation::new(&scene(&bodies, "", CONTACT, more));
        let before = run.world.center_of_mass(1);
        settle(&mut run).unwrap_or_else(|failure| panic!("{failure}"));
        let sunk = before - run.world.center_of_mass(1);
        let expected = run.world.mass_of(1) * 9.81 / 200.0;
        assert!((sunk.y / expected - 1.0).abs() < 1e-3, "{kind}: {sunk}, not {expected} m");
        assert!(sunk.x.abs().max(sunk.z.abs()) < 1e-6, "{sunk}");
        assert_eq!(run.observe().certificate.contacts, 0, "contact does not act");
    }
}

/// A patch tied over a shell 1 mm away, where contact reaches 3 mm: springs and contact agree on the distance.
#[test]
fn tie_does_not_oppose_contact() {
    let shell = |name: &str, height: f64, more: &str| {
        format!(
            "(name: \"{name}\", shape: Sheet(size: (0.1, 0.1), cells: (4, 4)), kind: Shell(thickness: 1e-3), \
             material: \"cloth\", friction: 0, placement: (translate: (0.003, {height}, 0.004)), damping: [Mass(rate: 20)], {more})"
        )
    };
    let bodies = [
        shell("cloth", 0.0, "hold: [(region: Boundary, motion: Fixed)]"),
        shell("patch", 0.0021, "attach: [(region: All, stiffness: 20, to: \"cloth\")]"),
    ]
    .join(", ");
    let mut run = Simulation::new(&scene(&bodies, "", CONTACT, EULER));
    for _ in 0..120 {
        run.advance();
    }
    let observed = run.observe();
    assert!((observed.certificate.min_distance - 2e-3).abs() < 1e-5, "{observed:?}");
    assert!(observed.potential() < 1e-9, "nothing is strained: {} J", observed.potential());
}

/// Two kerchiefs that are sewn along an edge: they come together as far as contact lets them, momentum is kept, and
/// the energy that they have is the work of the thread less what was lost.
#[test]
fn seam_closes_conserves_momentum_and_books_its_work() {
    let kerchief = |name: &str, x: f64| {
        format!(
            "(name: \"{name}\", shape: Sheet(size: (0.1, 0.1), cells: (3, 3)), kind: Shell(thickness: 1e-3, bending_model: Hinges), \
             material: \"cloth\", friction: 0, placement: (translate: ({x}, 0, 0)))"
        )
    };
    let side = |body: &str, at: f64, normal: f64| {
        format!("(body: \"{body}\", region: Plane(point: ({at}, 0, 0), normal: ({normal}, 0, 0)))")
    };
    let seam = format!(
        "seams: [(a: {}, b: {}, stiffness: 30, closing_speed: 0.1, start: 0.05)],",
        side("left", -0.02, 1.0),
        side("right", 0.02, -1.0)
    );
    let bodies = format!("{}, {}", kerchief("left", -0.07), kerchief("right", 0.07));
    let more = "gravity: (0, 0, 0), integrator: ASearch(), time: (step: \"1/200\", duration: 1), solver: (tolerance: 1e-9),";
    let mut run = Simulation::new(&scene(&bodies, "", CONTACT, &format!("{seam}{more}")));
    let start = run.observe().total();
    let [mut work, mut heat] = [0.0; 2];
    for step in 0..160 {
        let record = run.advance();
        work += record.work.iter().sum::<f64>();
        heat += record.dissipated.iter().chain(&record.rest_loss).sum::<f64>();
        let target = record.observed.target().expect("it has one");
        assert!((target - (start + work - heat)).abs() < 1e-12, "{target} {work} {heat}");
        assert!(run.world.momenta().linear.length() < 1e-9, "momentum is kept");
        if step < 9 {
            assert!(work == 0.0 && run.com().length() < 1e-15, "it begins at 0.05 s");
        }
    }
    assert!(work > 1e-6, "the thread pulls: {work} J");
    // 4 cm at 0.1 m/s are 0.4 s; what contact reaches is d_hat and the thickness.
    let row = |b: usize, sign: f64| {
        let x = &run.world.state(b).positions;
        let edge = x.iter().map(|x| sign * x.x).fold(f64::NEG_INFINITY, f64::max);
        sign * edge
    };
    let gap = row(1, -1.0) - row(0, 1.0);
    assert!((1e-3..6e-3).contains(&gap), "the edges are {gap} m apart");
    assert!(run.world.intersections(1).is_empty());
}

/// Both edges of one sheet, rolled by the thread into a tube.
#[test]
fn seam_within_one_body_rolls_it_into_a_tube() {
    let sheet = "(name: \"sleeve\", shape: Sheet(size: (0.3, 0.1), cells: (18, 4)), kind: Shell(thickness: 1e-3, bending: Rigidity(1e-5)), \
         material: \"cloth\", friction: 0, deform: [Bend(axis: X, about: Z, degrees: 120)], damping: [Mass(rate: 5)])";
    let side = |x: f64, normal: i32| {
        format!("(body: \"sleeve\", region: Plane(point: ({x}, 0, 0), normal: ({normal}, 0, 0)))")
    };
    let seam = format!(
        "seams: [(a: {}, b: {}, stiffness: 50, closing_speed: 0.3)],",
        side(-0.1499, -1),
        side(0.1499, 1)
    );
    let mut run = Simulation::new(&scene(sheet, "", CONTACT, &format!("{seam}{EULER}")));
    let x = run.world.state(0).positions.clone();
    let edges: Vec<usize> = (0..x.len()).filter(|i| i % 19 == 0 || i % 19 == 18).collect();
    let [a, b] = [edges[0], edges[1]];
    let apart = |run: &Simulation| {
        let x = &run.world.state(0).positions;
        x[a].distance(x[b])
    };
    assert!(apart(&run) > 0.15, "{}", apart(&run));
    for _ in 0..80 {
        run.advance();
    }
    assert!((2.5e-3..8e-3).contains(&apart(&run)), "{}", apart(&run));
    assert!(run.world.intersections(1).is_empty());
}
