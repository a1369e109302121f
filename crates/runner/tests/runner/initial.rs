//! A run that begins where another one stopped.

use super::support::{CLAY, DICE, DOOR, Trial, built};
use resile_assembly::build;
use resile_record::{Existing, Status};
use resile_scene::text::SceneText;
use std::path::Path;

const SHORT: &str = "time.duration=0.25";

fn from(other: &Trial<'_>) -> String {
    format!("initial=Run(folder: {:?})", other.folder())
}

/// The rows of a table after the first `skipped` steps, without the numbers of these, and without the
/// wall time of the history.
fn rows(trial: &Trial<'_>, table: &str, skipped: u64) -> Vec<String> {
    let text = std::fs::read_to_string(trial.folder().join(table)).expect("it is asked for");
    let rows = text.lines().skip(1).filter_map(|row| {
        let (step, rest) = row.split_once(',')?;
        let kept = step.parse::<u64>().expect("rows begin with steps") > skipped;
        let rest = if table == "history.csv" { rest.rsplit_once(',')?.0 } else { rest };
        kept.then(|| rest.to_owned())
    });
    rows.collect()
}

#[test]
fn continued_scene_equals_an_uninterrupted_run() {
    let integrators = [
        "integrator=Bdf2",
        "integrator=GeneralizedAlpha(rho_inf: 0.5)",
        "integrator=ASearch(target: (decay: [(start: 0.05, tau: 0.5)], ground: RestHeight(0.05)))",
    ];
    let cases = integrators.map(|integrator| (DICE, integrator));
    for (text, integrator) in
        cases.into_iter().chain([(DOOR, "integrator=ASearch()"), (CLAY, "integrator=ASearch()")])
    {
        let tables = "output.tables=[Bodies, Poses, Contacts, Momentum]";
        let [whole, first, second] = [(); 3].map(|()| Trial::new(text));
        whole.complete(&[integrator, tables, SHORT], Existing::Refuse);
        first.complete(&[integrator, "time.duration=0.1"], Existing::Refuse);
        let initial = from(&first);
        let summary = second.complete(&[integrator, tables, SHORT, &initial], Existing::Refuse);
        assert_eq!((summary.steps_done, summary.simulated_seconds), (18, 0.25));
        for table in ["history.csv", "bodies.csv", "poses.csv", "contacts.csv", "momentum.csv"] {
            let [found, expected] = [(&second, 0), (&whole, 12)].map(|(t, n)| rows(t, table, n));
            assert_eq!(found, expected, "{integrator}, {table}");
        }
        let initial = [integrator, initial.as_str()];
        assert_eq!(second.states(&initial), whole.states(&[integrator]), "{integrator}");
    }
}

#[test]
fn continued_run_can_be_resumed_and_continued() {
    let [whole, first, second, third] = [(); 4].map(|()| Trial::new(DICE));
    whole.complete(&[SHORT], Existing::Refuse);
    first.complete(&["time.duration=0.1"], Existing::Refuse);
    let initial = from(&first);
    second.complete(&["time.duration=0.15", &initial], Existing::Refuse);
    second.complete(&["time.duration=0.2", &initial], Existing::Resume);
    let initial = from(&second);
    let summary = third.complete(&[SHORT, &initial], Existing::Refuse);
    assert_eq!(summary.steps_done, 6);
    assert_eq!(third.states(&[&initial]), whole.states(&[]));
}

#[test]
fn edited_scene_continues_common_bodies_and_starts_new_ones() {
    let first = Trial::new(DICE);
    first.complete(&["time.duration=0.1"], Existing::Refuse);
    let (_, before) = built(DICE, &[&from(&first)]);
    let initial = from(&first);
    let set = [initial.as_str(), "bodies.third.name=new", "bodies.left.friction=0.1"];
    let (scene, edited) = built(DICE, &set);
    let (_, described) = built(DICE, &[]);
    for (number, name) in ["left", "right"].into_iter().enumerate() {
        assert_eq!(edited.world.name(number), name);
        let [now, then] = [&edited, &before].map(|built| built.world.state(number));
        assert_eq!((&now.positions, &now.velocities), (&then.positions, &then.velocities));
        assert_eq!(now.time, 0.1);
        let start = &described.world.state(number).positions;
        assert!(now.positions.iter().zip(start).any(|(a, b)| a.distance(*b) > 0.05), "it moved");
    }
    let [now, then] = [&edited, &described].map(|built| built.world.state(2));
    assert_eq!((&now.positions, &now.velocities), (&then.positions, &then.velocities));
    assert_eq!(now.time, 0.1);
    assert_eq!(scene.time.steps(), 60);
    let second = Trial::new(DICE);
    let summary = second.run(&[&set[..], &["time.duration=0.2"]].concat(), Existing::Refuse);
    assert_eq!((summary.status, summary.steps_done), (Status::Complete, 12), "{}", summary.reason);
}

#[test]
fn edited_scene_keeps_plastic_flow() {
    let first = Trial::new(CLAY);
    first.complete(&["time.duration=0.1"], Existing::Refuse);
    let initial = from(&first);
    let (_, same) = built(CLAY, &[&initial]);
    let (_, edited) = built(CLAY, &[&initial, "bodies.left.friction=0.1"]);
    for body in [0, 1] {
        let [now, then] = [&edited, &same].map(|built| built.world.state(body).internal.of(0));
        assert!(now == then && now.len() > 100, "{} numbers", now.len());
        let [now, then] = [&edited, &same].map(|built| built.world.stress(body));
        assert_eq!(now, then);
        let strain = (0..now.node_count()).filter_map(|node| now.plastic_strain(node));
        assert!(strain.fold(0.0, f64::max) > 1e-3, "it has flowed");
    }
    let elastic = "materials.clay=(density: 1500, model: Hencky(young: 2e5, poisson: 0.4))";
    let mut text = SceneText::new("scene.ron", CLAY);
    for set in [&initial[..], elastic] {
        text.set(set).unwrap_or_else(|error| panic!("{error}"));
    }
    let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
    let problems = build(&scene, Path::new("")).expect_err("it cannot go on");
    assert!(problems[0].message.contains("\"left\" cannot go on: it has flowed"), "{problems:?}");
}

#[test]
fn impossible_continuation_is_rejected_with_the_reason() {
    let first = Trial::new(DICE);
    first.complete(&["time.duration=0.1"], Existing::Refuse);
    let message_of = |set: &[&str]| {
        let mut text = SceneText::new("scene.ron", DICE);
        set.iter().for_each(|set| text.set(set).unwrap_or_else(|error| panic!("{error}")));
        let scene = text.load().unwrap_or_else(|errors| panic!("{}", errors[0])).scene;
        let problems = build(&scene, Path::new("")).expect_err("it cannot go on");
        let texts = problems.iter().map(|p| format!("{}: {}; {}", p.path, p.message, p.help));
        texts.collect::<Vec<_>>().join("\n")
    };
    let initial = from(&first);
    let at = format!("initial=Run(folder: {:?}, time: 0.2)", first.folder());
    let cases = [
        (vec!["initial=Run(folder: \"no/such\")"], "cannot read the checkpoint"),
        (vec![&at], "stopped at 0.1 s, not at 0.2 s"),
        (vec![&initial, "time.duration=0.1"], "the duration counts from time zero"),
        (vec![&initial, "bodies.left.shape.cells=(3, 2, 2)"], "\"left\" cannot go on: its mesh"),
        (
            vec![&initial, "bodies.left.shape.size=(0.1, 0.1, 0.2)"],
            "\"left\" cannot go on: its rest shape is another one there, with a mean length",
        ),
        (vec![&initial, "bodies.left.placement.scale=2"], "restore the `shape` and the `scale`"),
        (
            vec![&initial, "bodies.left.name=a", "bodies.right.name=b", "bodies.third.name=c"],
            "it has \"left\", \"right\", \"third\"",
        ),
        (
            vec![&initial, "bodies.left.hold=[(region: All, motion: Move(velocity: (1, 0, 0)))]"],
            "its motion is",
        ),
    ];
    for (set, expected) in cases {
        let message_of = message_of(&set);
        assert!(message_of.contains(expected), "{set:?}: {message_of}");
    }
}
