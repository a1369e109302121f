//! What crosses in a frame, and what only touches.

use super::support::{Body, Made};
use resile_verify::{Part, Verdict};

/// A tetrahedron that points down, with its tip here.
fn spike(tip: [f32; 3]) -> Body {
    let up = [[0.0, 0.0, 0.0], [1.0, 1.0, 0.0], [-1.0, 1.0, 1.0], [-1.0, 1.0, -1.0]];
    Body::tet("spike", up).at(tip)
}

/// A triangle in the plane y = height.
fn table(height: f32) -> Body {
    let points = [[-3.0, height, -3.0], [3.0, height, -3.0], [0.0, height, 3.0]];
    Body::sheet("table", &points, &[[0, 1, 2]])
}

#[test]
fn spike_through_a_table_is_found_at_its_place() {
    let report = Made::new(&[table(0.0), spike([0.0, 0.5, 0.0]).then([0.0, -0.625, 0.0])]).check();
    assert_eq!((report.verdict, report.frames, report.triangles), (Verdict::Crossed, 2, 5));
    // The three sides of the spike, not the one that looks up.
    assert_eq!((report.crossing_count, report.touching), (3, 0));
    assert_eq!(report.deepest, 0.125);
    let first = &report.crossings[0];
    assert_eq!((first.frame, first.time), (1, 0.5));
    assert_eq!(first.names, ["table", "spike"]);
    assert_eq!(first.parts[0], Part { cell: Some(0), points: vec![0, 1, 2] });
    assert_eq!(first.parts[1].cell, Some(1));
    for crossing in &report.crossings {
        assert_eq!(crossing.place[1], 0.0, "{crossing:?}");
        assert!(crossing.place[0].abs() < 0.2 && crossing.place[2].abs() < 0.2, "{crossing:?}");
    }
    assert!(report.passages.is_empty(), "what crosses has not passed");
}

#[test]
fn tip_on_a_table_counts_as_touching() {
    let report = Made::new(&[table(0.5), spike([0.0, 0.5, 0.0])]).check();
    assert_eq!((report.verdict, report.crossing_count, report.touching), (Verdict::Apart, 0, 3));
    let above = 0.5_f32.next_up();
    let report = Made::new(&[table(0.5), spike([0.0, above, 0.0])]).check();
    assert_eq!((report.verdict, report.crossing_count, report.touching), (Verdict::Apart, 0, 0));
}

#[test]
fn crossing_is_decided_to_the_last_bits() {
    // Between 1 and 2 the unit is 2^-23. Half of it, of the tip and of the table, is what
    // rounding explains; the large triangles have more of it in their far corners.
    let unit = 2_f32.powi(-23);
    let at = |units: f32| {
        let report = Made::new(&[table(1.5), spike([0.0, 1.5 - units * unit, 0.0])]).check();
        (report.verdict, report.crossing_count, report.touching)
    };
    assert_eq!(at(1.0), (Verdict::Apart, 0, 3));
    assert_eq!(at(8.0), (Verdict::Crossed, 3, 0));
}

#[test]
fn edge_edge_piercing_is_found() {
    // Two long strips, crossed like swords: no vertex of one is near the other.
    let one = [[-5.0, 0.0, 0.0], [5.0, 0.0, 0.0], [0.0, 0.0, -4.0]];
    let other = [[0.0, -5.0, -0.5], [0.0, 5.0, -0.5], [0.0, 0.0, 9.0]];
    let bodies = |shift: f32| {
        [
            Body::sheet("one", &one, &[[0, 1, 2]]),
            Body::sheet("other", &other, &[[0, 1, 2]]).at([0.0, 0.0, shift]),
        ]
    };
    let report = Made::new(&bodies(0.0)).check();
    assert_eq!((report.verdict, report.crossing_count), (Verdict::Crossed, 1));
    assert_eq!(report.deepest, 0.5);
    // Edge on edge, and then past each other.
    let report = Made::new(&bodies(0.5)).check();
    assert_eq!((report.crossing_count, report.touching), (0, 1));
    let report = Made::new(&bodies(0.5625)).check();
    assert_eq!((report.crossing_count, report.touching), (0, 0));
    assert_eq!(report.pairs, 0, "their boxes are apart");
}

#[test]
fn coplanar_overlap_counts_as_touching() {
    let twice = |at| Made::new(&[table(0.0), table(0.0).named("other").at(at)]).check();
    let report = twice([0.5, 0.0, 0.25]);
    assert_eq!((report.verdict, report.crossing_count, report.touching), (Verdict::Apart, 0, 1));
    let report = twice([4.0, 0.0, 4.0]);
    assert_eq!((report.pairs, report.touching), (1, 1), "a corner lies on an edge");
    let report = twice([4.5, 0.0, 4.0]);
    assert_eq!((report.pairs, report.touching), (1, 0), "only the boxes overlap");
}

#[test]
fn self_intersecting_sheet_is_found() {
    // Two triangles with a common vertex; the far edge of one moves through the other.
    let points = |y: f32| {
        [[0.0, 0.0, 0.0], [4.0, 0.0, 2.0], [4.0, 0.0, -2.0], [2.0, y, -0.5], [2.0, 1.0, 0.5]]
    };
    let at =
        |y: f32| Made::new(&[Body::sheet("cloth", &points(y), &[[0, 1, 2], [0, 3, 4]])]).check();
    assert_eq!((at(0.5).verdict, at(0.5).pairs, at(0.5).touching), (Verdict::Apart, 1, 0));
    assert_eq!((at(0.0).verdict, at(0.0).touching), (Verdict::Apart, 1));
    let crossed = at(-0.25);
    assert_eq!((crossed.verdict, crossed.crossing_count), (Verdict::Crossed, 1));
    assert_eq!(crossed.crossings[0].names, ["cloth", "cloth"]);
}

#[test]
fn fold_touches_only_if_closed() {
    let sheet = |p| {
        Body::sheet(
            "cloth",
            &[[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], p],
            &[[0, 1, 2], [1, 0, 3]],
        )
    };
    let at = |p| Made::new(&[sheet(p)]).check();
    assert_eq!(at([0.5, 0.75, 0.0]).touching, 1);
    assert_eq!(at([0.5, 0.75, 1e-6]).touching, 0);
    assert_eq!(at([0.5, -0.75, 0.0]).touching, 0);
}

#[test]
fn interior_faces_of_a_mesh_are_not_surface() {
    let report = Made::new(&[Body::cube("cube", 1.0)]).check();
    assert_eq!((report.triangles, report.closed_pieces, report.open_pieces), (12, 1, 0));
    assert_eq!((report.verdict, report.touching), (Verdict::Apart, 0));
    assert!(report.pairs > 0, "neighbours are tested");
}

#[test]
fn duplicate_surface_counts_once() {
    let drawn = Body::cube("cube", 1.0).with(&[[0, 1, 2], [4, 1, 0]]);
    let report = Made::new(&[drawn]).check();
    assert_eq!((report.triangles, report.closed_pieces, report.open_pieces), (12, 1, 0));
    // A triangle across the middle is one more, and parts the inside from nothing.
    let divided = Body::cube("cube", 1.0).with(&[[1, 2, 4]]);
    let report = Made::new(&[divided]).check();
    assert_eq!((report.triangles, report.closed_pieces, report.open_pieces), (13, 0, 1));
}

#[test]
fn disabled_pairs_may_cross() {
    let mut run = Made::new(&[table(0.0), spike([0.0, -0.125, 0.0])]);
    assert_eq!(run.check().verdict, Verdict::Crossed);
    run.set("contact.off=[(\"spike\", \"table\")]");
    let report = run.check();
    assert_eq!((report.verdict, report.touching), (Verdict::Apart, 0));
    run.set("contact.off=[(\"spike\", \"spike\")]");
    assert_eq!(run.check().verdict, Verdict::Crossed, "only the spike may cross itself");
}

#[test]
fn name_covers_all_copies_and_a_copy_only_itself() {
    let die = || Body::cube("die", 1.0);
    let mut run = Made::new(&[die(), die().at([0.5; 3]), die().at([9.0; 3])]);
    run.describe(&[die()]).set("bodies.die.repeat=Row(count: 3, step: (2, 0, 0))");
    let report = run.check();
    assert_eq!(report.crossings[0].names, ["die[0]", "die[1]"]);
    assert_eq!(report.crossings.len(), 10, "the first ten are kept");
    assert!(report.crossing_count > 10);
    for (off, verdict) in [
        ("(\"die\", \"die\")", Verdict::Apart),
        ("(\"die[1]\", \"die[0]\")", Verdict::Apart),
        ("(\"die[1]\", \"die\")", Verdict::Apart),
        ("(\"die[1]\", \"die[2]\")", Verdict::Crossed),
    ] {
        run.set(&format!("contact.off=[{off}]"));
        assert_eq!(run.check().verdict, verdict, "{off}");
    }
}

#[test]
fn bodies_stay_on_their_side_of_planes() {
    let mut made =
        Made::new(&[spike([0.0, 0.25, 0.0]).then([0.0, -0.25, 0.0]).then([0.0, -0.5, 0.0])]);
    made.set(
        "obstacles=[Plane(name: \"floor\", point: (7, 0, 3), normal: (0, 2, 0), friction: 0)]",
    );
    let report = made.check();
    assert_eq!((report.plane_tests, report.touching, report.crossing_count), (12, 1, 1));
    let crossing = &report.crossings[0];
    assert_eq!((crossing.frame, crossing.depth, crossing.place), (2, 0.25, [0.0, -0.25, 0.0]));
    assert_eq!(crossing.names, ["spike", "floor"]);
    assert_eq!(
        crossing.parts.each_ref().map(|part| (part.cell, part.points.clone())),
        [(None, vec![0]), (None, vec![])]
    );
    made.set("contact.off=[(\"floor\", \"spike\")]");
    assert_eq!((made.check().verdict, made.check().plane_tests), (Verdict::Apart, 0));
}

#[test]
fn vertex_behind_a_plane_by_rounding_is_accepted() {
    // Half the unit in the last place of 1.5 is 6e-8.
    let mut run = Made::new(&[spike([0.0, 1.5, 0.0])]);
    let mut at = |height: &str| {
        let plane = format!(
            "Plane(name: \"floor\", point: (0, {height}, 0), normal: (0, 1, 0), friction: 0)"
        );
        let report = run.set(&format!("obstacles=[{plane}]")).check();
        (report.verdict, report.crossing_count, report.touching)
    };
    assert_eq!(at("1.49999999"), (Verdict::Apart, 0, 0));
    assert_eq!(at("1.50000005"), (Verdict::Apart, 0, 1));
    assert_eq!(at("1.50000007"), (Verdict::Crossed, 1, 0));
}

#[test]
fn moving_obstacles_are_drawn_as_bodies() {
    let mut run = Made::new(&[spike([0.0, 0.5, 0.0]), table(0.0).then([0.0, 0.625, 0.0])]);
    run.describe(&[spike([0.0; 3])]).set(
        "obstacles=[
            Plane(name: \"floor\", point: (0, -9, 0), normal: (0, 1, 0), friction: 0),
            Mesh(name: \"lift\", file: \"lift.obj\", friction: 0, motion: Move(velocity: (0, 1, 0))),
        ]",
    );
    let report = run.check();
    assert_eq!((report.crossing_count, report.plane_tests), (3, 2 * 4));
    assert_eq!(report.crossings[0].names, ["spike", "lift"]);
    run.set("contact.off=[(\"lift\", \"spike\")]");
    assert_eq!(run.check().verdict, Verdict::Apart);
    run.set("contact.off=[]").set("obstacles=[]");
    assert!(run.refusal().contains("2 bodies and the scene 1"), "{}", run.refusal());
}

#[test]
fn obstacles_are_distinguished() {
    let mut run = Made::new(&[spike([0.0, -0.125, 0.0])]);
    let floor = [[-3.0, 0.0, -3.0], [3.0, 0.0, -3.0], [0.0, 0.0, 3.0]];
    let wall = [[9.0, 0.0, 0.0], [9.0, 1.0, 0.0], [9.0, 0.0, 1.0], [9.0, 1.0, 1.0]];
    let mesh = |name| format!("Mesh(name: \"{name}\", file: \"{name}.obj\", friction: 0)");
    run.set(&format!("obstacles=[{}, {}]", mesh("wall"), mesh("floor")));
    assert!(run.refusal().contains("obstacles.vtu"), "{}", run.refusal());
    let triangles = [[0, 1, 2], [1, 2, 3], [4, 5, 6]];
    run.write_obstacles(&[&wall[..], &floor[..]].concat(), &triangles, &[1, 1, 2]);
    let report = run.check();
    assert_eq!((report.triangles, report.crossing_count, report.open_pieces), (7, 3, 2));
    assert_eq!(report.crossings[0].names, ["spike", "floor"]);
    assert_eq!(report.crossings[0].parts[1], Part { cell: Some(2), points: vec![4, 5, 6] });
    run.set("contact.off=[(\"floor\", \"spike\")]");
    assert_eq!(run.check().verdict, Verdict::Apart);
    // The spike is 0, the obstacles are 1 and 2.
    for other in [0, 3] {
        run.write_obstacles(&floor, &[[0, 1, 2]], &[other]);
        let refusal = run.refusal();
        assert!(refusal.contains(&format!("number {other}")), "{refusal}");
        assert!(refusal.contains("have the numbers 1..3"), "{refusal}");
    }
}
