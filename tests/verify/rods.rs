//! Rods that are nearer than they are thick.

use super::support::{Body, Made, Point};
use resile_verify::{Report, Verdict};

/// A straight rod along x, in pieces of a tenth.
fn straight(name: &'static str, y: f32) -> Body {
    let points: Vec<Point> = (0..=20).map(|i| [0.1 * i as f32, y, 0.0]).collect();
    Body::rod(name, &points, 0.25)
}

/// Across it, at this height.
fn across(y: f32) -> Body {
    let points: Vec<Point> = (0..=8).map(|i| [0.93, y, 0.25 * i as f32 - 1.0]).collect();
    Body::rod("across", &points, 0.125)
}

fn found(report: &Report) -> (Verdict, bool) {
    (report.verdict, report.crossing_count > 0)
}

#[test]
fn rods_closer_than_their_radii_are_found() {
    let apart = Made::new(&[straight("rod", 0.0), across(0.376)]).check();
    assert_eq!((found(&apart), apart.rod_pieces), ((Verdict::Apart, false), 28));
    let near = Made::new(&[straight("rod", 0.0), across(0.5).then([0.0, -0.25, 0.0])]).check();
    assert_eq!(found(&near), (Verdict::Crossed, true));
    assert_eq!((near.deepest, near.crossings[0].frame), (0.125, 1));
    assert!(near.rod_pairs >= near.crossing_count);
    assert_eq!(near.crossings[0].names, ["rod", "across"]);
    assert_eq!(near.crossings[0].parts[0].points.len(), 2);
    // What goes through the axis is found, too.
    let through = Made::new(&[straight("rod", 0.0), across(0.0)]).check();
    assert_eq!((through.verdict, through.deepest), (Verdict::Crossed, 0.375));
}

#[test]
fn rod_neighbours_are_exempt_and_distant_parts_are_not() {
    let rod = Made::new(&[straight("rod", 0.0)]).check();
    assert_eq!(found(&rod), (Verdict::Apart, false));
    let hairpin = |apart: f32| {
        let out = (0..20).map(|i| [0.1 * i as f32, 0.0, 0.0]);
        let back = (0..20).map(|i| [1.9 - 0.1 * i as f32, apart, 0.0]);
        let points: Vec<Point> = out.chain(back).collect();
        Made::new(&[Body::rod("rod", &points, 0.25)]).check()
    };
    assert_eq!(found(&hairpin(0.501)), (Verdict::Apart, false));
    let narrow = hairpin(0.4375);
    assert_eq!(found(&narrow), (Verdict::Crossed, true));
    assert_eq!(narrow.crossings[0].names, ["rod", "rod"]);
}

#[test]
fn rods_keep_their_radius_from_surfaces() {
    let table = |y: f32| {
        let points = [[-3.0, y, -3.0], [3.0, y, -3.0], [0.0, y, 3.0]];
        Body::sheet("table", &points, &[[0, 1, 2]])
    };
    let apart = Made::new(&[straight("rod", 0.0), table(-0.251)]).check();
    assert_eq!(found(&apart), (Verdict::Apart, false));
    let near = Made::new(&[straight("rod", 0.0), table(-0.1875)]).check();
    assert_eq!((found(&near), near.deepest), ((Verdict::Crossed, true), 0.0625));
    let through = Made::new(&[straight("rod", 0.0), table(0.0)]).check();
    assert_eq!((through.verdict, through.deepest), (Verdict::Crossed, 0.25));
}
