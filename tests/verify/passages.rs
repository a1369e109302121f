//! What came to the other side between two frames.

use super::support::{Body, Made};
use resile_verify::{Change, Passage, Verdict};

fn hall() -> Body {
    Body::cube("hall", 4.0)
}

fn ball() -> Body {
    Body::cube("ball", 0.5)
}

#[test]
fn body_that_jumps_into_another_is_a_passage() {
    let outside = [9.0, 0.0, 0.0];
    let run = Made::new(&[
        hall(),
        ball().at(outside).then([-4.0, 0.0, 0.0]).then([-8.0, 1.0, 0.0]).then([-9.0, 0.0, 0.0]),
    ]);
    let report = run.check();
    assert_eq!((report.verdict, report.crossing_count, report.touching), (Verdict::Crossed, 0, 0));
    let [Passage { frame, time, name, through, change }] = &report.passages[..] else {
        panic!("{:?}", report.passages)
    };
    assert_eq!(
        (*frame, *time, name.as_str(), through.as_str(), *change),
        (2, 1.0, "ball", "hall", Change::Entered)
    );
}

#[test]
fn initially_enclosed_body_may_stay_and_not_leave() {
    let stays = ball().at([1.0, 0.0, 0.0]).then([-2.0, 1.0, 0.5]).then([1.0, 1.0, 1.0]);
    let report = Made::new(&[hall(), stays.clone()]).check();
    assert_eq!((report.verdict, &report.passages[..]), (Verdict::Apart, &[][..]));
    let report = Made::new(&[hall(), stays.then([20.0, 0.0, 0.0]).then([30.0, 0.0, 0.0])]).check();
    assert_eq!(report.passages.len(), 1, "it is told once");
    assert_eq!((report.passages[0].frame, report.passages[0].change), (3, Change::Left));
}

#[test]
fn sheets_enclose_nothing_and_can_be_enclosed() {
    let points = [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]];
    let cloth = || Body::sheet("cloth", &points, &[[0, 1, 2]]);
    let report = Made::new(&[hall(), cloth().at([9.0, 0.0, 0.0]).then([-9.0, 0.0, 0.0])]).check();
    assert_eq!(report.open_pieces, 1);
    assert_eq!((report.passages.len(), report.passages[0].name.as_str()), (1, "cloth"));
    // From one side of a sheet to the other there is a way around it.
    let report = Made::new(&[cloth(), ball().at([0.25, 0.25, 2.0]).then([0.0, 0.0, -4.0])]).check();
    assert_eq!(report.verdict, Verdict::Apart);
}

#[test]
fn crossing_body_is_a_passage_only_once_it_is_through() {
    let run = Made::new(&[
        hall(),
        ball().at([9.0, 0.0, 0.0]).then([-5.0, 0.0, 0.0]).then([-9.0, 0.0, 0.0]),
    ]);
    let report = run.check();
    assert!(
        report.crossing_count > 0 && report.crossings.iter().all(|crossing| crossing.frame == 1)
    );
    assert_eq!(report.passages.iter().map(|passage| passage.frame).collect::<Vec<_>>(), [2]);
}

#[test]
fn disabled_pairs_may_pass() {
    let mut run = Made::new(&[hall(), ball().at([9.0, 0.0, 0.0]).then([-9.0, 0.0, 0.0])]);
    assert_eq!(run.check().verdict, Verdict::Crossed);
    assert_eq!(run.set("contact.off=[(\"hall\", \"ball\")]").check().verdict, Verdict::Apart);
}

/// A ring of triangles about z, open along both rims.
fn ring(name: &'static str, upright: bool) -> Body {
    let at = |i: u32, z: f32| {
        let t = std::f32::consts::TAU * (i as f32) / 8.0;
        if upright { [t.cos(), z, t.sin()] } else { [t.cos(), t.sin(), z] }
    };
    let points: Vec<[f32; 3]> = (0..8).flat_map(|i| [at(i, -0.125), at(i, 0.125)]).collect();
    let strip = |i: u32| {
        let [a, b, c, d] = [2 * i, 2 * i + 1, (2 * i + 2) % 16, (2 * i + 3) % 16];
        [[a, b, c], [c, b, d]]
    };
    Body::sheet(name, &points, &(0..8).flat_map(strip).collect::<Vec<_>>())
}

#[test]
fn linking_of_rings_is_preserved() {
    let lie = ring("lying", false);
    let linked = ring("upright", true).at([1.0, 0.0, 0.0]);
    let moved = linked.clone().then([0.25, 0.125, 0.0]).then([-0.25, 0.0, 0.25]);
    let report = Made::new(&[lie.clone(), moved.clone()]).check();
    assert_eq!((report.verdict, report.touching), (Verdict::Apart, 0), "{report:?}");
    // Pulled off; then back on, which is told no more.
    let report = Made::new(&[lie.clone(), moved.then([3.0, 0.0, 0.0]).then([0.0; 3])]).check();
    let told: Vec<_> = report.passages.iter().map(|p| (p.frame, p.change)).collect();
    assert_eq!((report.crossing_count, &told[..]), (0, &[(3, Change::Relinked)][..]));
    let report =
        Made::new(&[lie.clone(), linked.clone().at([4.0, 0.0, 0.0]).then([-4.0, 0.0, 0.0])])
            .check();
    assert_eq!((report.verdict, report.passages.len()), (Verdict::Crossed, 1));
    // Through the other side of the ring the link is the other way round.
    let report = Made::new(&[lie, linked.then([-2.0, 0.0, 0.0])]).check();
    assert_eq!((report.crossing_count, report.passages.len()), (0, 1), "{report:?}");
}
