//! `sim compare`: what it writes, what it says, and how it ends.

use crate::support::{Place, SCENE, begun, interrupt};

/// Two integrators with two steps each; `more` overrides what comes before it.
fn two_by_two(place: &Place, more: &[&str]) -> crate::support::SimOutput {
    let two = ["compare", "scene.ron", "-i", "a-search,implicit-euler", "--steps-per-second"];
    place.sim(&[&two[..], &["60,120", "--duration", "0.1"], more].concat())
}

/// Without the last column, wall time, which no two runs share.
fn without_times(table: &str) -> String {
    let kept = |line: &str| match line.trim_end().rsplit_once("  ") {
        Some((kept, last)) if last.trim().parse::<f64>().is_ok() || last == "seconds" => {
            format!("{}\n", kept.trim_end())
        }
        _ => format!("{line}\n"),
    };
    table.lines().map(kept).collect()
}

/// Without the list of all integrators, of which there will be more.
fn without_lists(message: &str) -> String {
    let kept = |line: &str| line.split_once("known: ").map_or(line, |(kept, _)| kept).to_owned();
    message.lines().map(|line| kept(line) + "\n").collect()
}

#[test]
fn comparison_writes_tables_plots_and_ordinary_runs() {
    let place = Place::new(SCENE);
    let said = two_by_two(&place, &["--threads", "1"]).exit(0);
    for file in ["comparison.csv", "comparison.json", "energy.svg", "momentum.svg", "alpha.svg"] {
        assert!(place.path("out/scene-compare").join(file).is_file(), "{file}");
    }
    for run in
        ["a-search-h1_60", "a-search-h1_120", "implicit-euler-h1_60", "implicit-euler-h1_120"]
    {
        for file in [
            "history.csv",
            "summary.json",
            "energy.svg",
            "checkpoint",
            "frames/frames.pvd",
            "scene.ron",
            "run.json",
        ] {
            let path = place.path("out/scene-compare").join(run).join(file);
            assert!(path.is_file(), "{}", path.display());
        }
    }
    insta::assert_snapshot!(without_times(&said.stdout));
    place.sim(&["rerun", "out/scene-compare/implicit-euler-h1_60", "-q"]).exit(0);
    let energy = place.read("out/scene-compare/energy.svg");
    for name in ["ASearch 1/60", "ImplicitEuler 1/120", "target", "energy (mJ)", "time (s)"] {
        assert!(energy.lines().any(|line| line.trim() == name), "{name}");
    }
    let csv = place.read("out/scene-compare/comparison.csv");
    assert_eq!(csv.lines().count(), 5);
    let fields = |line: &str| line.split(',').count();
    assert!(csv.lines().all(|line| fields(line) == fields(csv.lines().next().unwrap_or(""))));
    let json = place.read("out/scene-compare/comparison.json");
    for key in csv.lines().next().expect("a header").split(',') {
        assert_eq!(json.matches(&format!("\"{key}\":")).count(), 4, "{key}");
    }
}

#[test]
fn variant_equals_a_run_with_its_overrides() {
    let place = Place::new(SCENE);
    two_by_two(&place, &["--set", "bodies.die.friction=0"]).exit(0);
    let run = ["run", "scene.ron", "-o", "alone", "--set", "integrator=ImplicitEuler"];
    let sets = ["--set", "bodies.die.friction=0", "--set", "time=(step: \"1/60\", duration: 0.1)"];
    place.sim(&[&run[..], &sets].concat()).exit(0);
    let compared = place.history("out/scene-compare/implicit-euler-h1_60/history.csv");
    assert_eq!(compared, place.history("alone/history.csv"));
}

#[test]
fn scene_integrator_keeps_its_parameters_and_step() {
    let ground = "ASearch(alpha_max: 1.05, target: (ground: RestHeight(0.05)))";
    let place = Place::new(&SCENE.replace("ASearch()", ground));
    let compare = ["compare", "scene.ron", "-i", "scene,a1", "--steps", "5", "-o", "both"];
    let output = place.sim(&compare).exit(0);
    for word in ["scene (ASearch)", "1/120", "above the ground of 0.4905 J"] {
        assert!(output.stdout.contains(word), "{word}: {}", output.stdout);
    }
    place.sim(&["run", "scene.ron", "--steps", "5"]).exit(0);
    let own = place.history("both/scene-h1_120/history.csv");
    assert_eq!(own, place.history("out/scene/history.csv"));
}

#[test]
fn comparison_is_replaced_only_with_force() {
    let place = Place::new(SCENE);
    let compare = ["compare", "scene.ron", "-i", "ImplicitEuler", "--steps", "2"];
    place.sim(&compare).exit(0);
    let refused = place.sim(&compare).exit(2);
    for word in ["out/scene-compare", "--force", "-o"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    let forced = [&compare[..], &["--force", "--quiet"]].concat();
    let quiet = place.sim(&forced).exit(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    assert!(
        !place.path("out/scene-compare/alpha.svg").exists(),
        "implicit Euler chooses no alphas"
    );
}

#[test]
fn failed_variant_is_shown_and_the_others_run() {
    let place = Place::new(SCENE);
    // Too few iterations for the impact of one of them. Rounds of friction would take more of the other one.
    let hard = [
        "bodies.die.velocity=(0, -5, 0)",
        "solver.max_iterations=8",
        "solver.max_halvings=0",
        "solver.friction=(rounds: 0)",
    ];
    let sets = hard.map(|set| ["--set", set]);
    let compare = ["compare", "scene.ron", "-i", "a-search,implicit-euler", "--duration", "0.1"];
    let said = place.sim(&[&compare[..], sets.as_flattened()].concat()).exit(1);
    insta::assert_snapshot!(without_times(&said.stdout));
    let errors: Vec<_> = said.stderr.lines().filter(|line| !line.starts_with("step ")).collect();
    insta::assert_snapshot!(errors.join("\n"));
    let energy = place.read("out/scene-compare/energy.svg");
    assert!(energy.contains("(failed)"));
}

#[test]
fn comparison_reports_all_errors_together_and_runs_nothing() {
    let place = Place::new(&SCENE.replace("density: 1000", "density: -1000"));
    let integrators = "bfd2,A1,implicit-oiler,a-search(alpha_max: -1),Bdf2(order: 2),a1";
    let wrong = ["compare", "scene.ron", "-i", integrators, "--steps-per-second", "30,0,x"];
    let said = place.sim(&wrong).exit(2);
    assert_eq!(said.stdout, "");
    assert!(!place.path("out").exists());
    insta::assert_snapshot!(without_lists(&said.stderr));
    for wrong in [
        &["compare", "scene.ron"][..],
        &["compare", "-i", "A1"],
        &["compare", "scene.ron", "-i", "A1", "--steps", "3", "--duration", "1"],
    ] {
        assert!(!place.sim(wrong).exit(2).stderr.is_empty(), "{wrong:?}");
    }
}

/// Load steps use no integrator, so that all variants would be equal.
#[test]
fn integrators_of_a_static_analysis_are_refused() {
    let place = Place::new(SCENE);
    let set = ["--set", "analysis=Static", "--steps", "1", "-o", "static"];
    let said = place.sim(&[&["compare", "scene.ron", "-i", "bdf2,scene"], &set[..]].concat());
    let said = said.exit(2).stderr;
    assert!(said.contains("no effect with `analysis: Static`"), "{said}");
    assert!(!place.path("static").exists());
    let steps = ["compare", "scene.ron", "-i", "scene", "--steps-per-second", "60,120"];
    let said = place.sim(&[&steps[..], &set].concat()).stderr;
    assert!(!said.contains("the integrator has no effect"), "{said}");
    assert!(place.path("static").exists(), "{said}");
}

#[cfg(unix)]
#[test]
fn interrupted_comparison_keeps_finished_variants_and_prints_the_table() {
    let place = Place::new(SCENE);
    let long = ["--set", "time.duration=1000", "--set", "output.formats=[]"];
    let compare = ["compare", "scene.ron", "-i", "implicit-euler,A1", "-o", "cut"];
    let arguments = [&compare[..], &long].concat();
    let child = begun(&place, &arguments, "cut/implicit-euler-h1_120/history.csv", 6);
    let output = interrupt(child).exit(1);
    for word in ["interrupted at", "not run"] {
        assert!(output.stdout.contains(word), "{word}: {}", output.stdout);
    }
    assert!(
        output.stderr.contains("interrupted: 0 of 2 variants are complete"),
        "{}",
        output.stderr
    );
    assert!(place.read("cut/comparison.csv").contains(",interrupted,"));
    assert!(place.path("cut/energy.svg").is_file());
}
