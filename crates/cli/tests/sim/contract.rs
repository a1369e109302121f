//! What a run leaves behind, and what it says.

use crate::support::{Place, SCENE};

#[test]
fn run_writes_the_documented_files() {
    let place = Place::new(SCENE);
    let output = place.sim(&["run", "scene.ron"]).exit(0);
    for file in
        ["history.csv", "summary.json", "energy.svg", "checkpoint", "frames/frames.pvd", "frames"]
    {
        assert!(place.path("out/scene").join(file).exists(), "{file}");
    }
    for named in ["complete", "24 of 24", "out/scene", "frames.pvd", "energy.svg"] {
        assert!(output.stdout.contains(named), "{named}: {}", output.stdout);
    }
    let history = place.read("out/scene/history.csv");
    assert_eq!(
        history.lines().next(),
        Some(
            "step,time,h,kinetic,potential,elastic,gravity,contact,total,target,alpha,motion,\
             dissipated,rest_loss,external_work,momentum_x,momentum_y,momentum_z,angular_x,angular_y,angular_z,\
             com_x,com_y,com_z,newton,linear,backtracks,contacts,min_distance,min_det_f,residual,\
             prescribed_lag,seconds"
        )
    );
    for (row, line) in (0..).zip(history.lines().skip(1)) {
        assert!(line.starts_with(&format!("{row},")), "{line}");
        assert_eq!(line.split(',').count(), 33, "{line}");
    }
    assert_eq!(history.lines().count(), 26);
    let svg = place.read("out/scene/energy.svg");
    assert!(svg.starts_with("<svg") && svg.trim_end().ends_with("</svg>"));
    let index = place.read("out/scene/frames/frames.pvd");
    assert_eq!(index.matches("part=\"0\"").count(), 13, "0.2 s at 60 a second, and the start");
    for number in 0..13 {
        let name = format!("frame_{number:06}.vtu");
        assert!(index.contains(&name) && place.path("out/scene/frames").join(&name).is_file());
    }
}

#[test]
fn summary_has_exactly_the_documented_keys() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "--threads", "2", "--steps", "5"]).exit(0);
    let summary = place.read("out/scene/summary.json");
    let keys = |indent: &str| -> Vec<String> {
        let own = |line: &&str| line.starts_with(&format!("{indent}\""));
        let key = |line: &str| line.split('"').nth(1).unwrap_or_default().to_owned();
        summary.lines().filter(own).map(key).collect()
    };
    assert_eq!(
        keys("  "),
        [
            "scene",
            "version",
            "commit",
            "set",
            "integrator",
            "step",
            "threads",
            "steps_done",
            "steps_asked",
            "simulated_seconds",
            "wall_seconds",
            "newton_iterations",
            "island_iterations",
            "part_iterations",
            "linear_iterations",
            "projected_iterations",
            "direct_solves",
            "unconverged_solves",
            "backtracks",
            "most_islands",
            "largest_island",
            "phase_seconds",
            "energy",
            "min_distance",
            "min_det_f",
            "max_residual",
            "peak_memory_bytes",
            "status",
            "reason"
        ]
    );
    let phases = ["assembly", "linear_solve", "collision", "line_search", "output"];
    let energies = [
        "start",
        "end",
        "kinetic",
        "potential",
        "work",
        "heat",
        "gained",
        "largest_kinetic",
        "above_target",
        "resolution",
    ];
    assert_eq!(keys("    "), [&phases[..], &energies].concat());
    assert_eq!(
        keys("      "),
        [
            "contact",
            "elastic",
            "gravity",
            "friction",
            "damping",
            "plastic_flow",
            "contact_damping",
            "contact"
        ]
    );
    for line in ["\"status\": \"complete\"", "\"threads\": 2", "\"steps_done\": 5"] {
        assert!(summary.contains(line), "{line}: {summary}");
    }
}

#[test]
fn last_frame_is_at_the_end_and_resumed_runs_have_no_extra_frame() {
    let place = Place::new(SCENE);
    // Steps of 1/120 s, and a frame every twelfth.
    let run = ["run", "scene.ron", "--set", "output.frame_rate=10", "--quiet"];
    let times = |folder: &'static str, seconds: &'static str| {
        let more = ["--resume", "-o", folder, "--duration", seconds];
        place.sim(&[&run[..], &more].concat()).exit(0);
        let index = place.read(&format!("{folder}/frames/frames.pvd"));
        let time = |line: &str| line.split_once("timestep=\"")?.1.split_once('"')?.0.parse().ok();
        let frames = index.lines().filter(|line| line.contains("frame_"));
        frames.filter_map(time).collect::<Vec<f64>>()
    };
    let near = |times: Vec<f64>, expected: &[f64]| {
        assert_eq!(times.len(), expected.len(), "{times:?}");
        assert!(times.iter().zip(expected).all(|(a, b)| (a - b).abs() < 1e-12), "{times:?}");
    };
    near(times("parts", "0.125"), &[0.0, 0.1, 0.125]);
    near(times("parts", "0.125"), &[0.0, 0.1, 0.125]);
    near(times("parts", "0.15"), &[0.0, 0.1, 0.15]);
    near(times("parts", "0.2"), &[0.0, 0.1, 0.2]);
    near(times("whole", "0.2"), &[0.0, 0.1, 0.2]);
    for number in 0..3 {
        let frame =
            |run| std::fs::read(place.path(&format!("{run}/frames/frame_00000{number}.vtu")));
        assert_eq!(frame("parts").expect("a frame"), frame("whole").expect("a frame"));
    }
}

#[test]
fn summary_suffices_for_a_parameter_study() {
    let place = Place::new(SCENE);
    let set = ["--set", "bodies.die.friction=0.2", "--set", "integrator=ImplicitEuler"];
    place.sim(&[&["run", "scene.ron", "--duration", "0.05", "-q"][..], &set].concat()).exit(0);
    let summary = place.read("out/scene/summary.json");
    for message in [
        "\"bodies.die.friction=0.2\",",
        "\"integrator=ImplicitEuler\",",
        "\"time.duration=0.05\"",
        "\"integrator\": \"ImplicitEuler\"",
        "\"step\": 0.00833333",
    ] {
        assert!(summary.contains(message), "{message}: {summary}");
    }
    let number = |key: &str| -> f64 {
        let line = summary.lines().find(|line| line.trim().starts_with(&format!("\"{key}\": ")));
        let value = line.and_then(|line| line.trim().trim_end_matches(',').split(": ").nth(1));
        value.and_then(|value| value.parse().ok()).unwrap_or_else(|| panic!("{key}: {summary}"))
    };
    // The parts are the whole, and the last row of the history has the same.
    let parts = ["kinetic", "contact", "elastic", "gravity"].map(number);
    assert!((parts.iter().sum::<f64>() - number("end")).abs() < 1e-12);
    let history = place.read("out/scene/history.csv");
    let column = |name: &str| -> f64 {
        let header = history.lines().next().unwrap_or_default();
        let at = header.split(',').position(|column| column == name).expect("a column");
        let last = history.lines().last().unwrap_or_default();
        last.split(',').nth(at).and_then(|cell| cell.parse().ok()).expect("a number")
    };
    assert_eq!([column("total"), column("gravity")], [number("end"), number("gravity")]);
}

#[test]
fn profile_is_optional_and_removed_with_the_run() {
    let place = Place::new(SCENE);
    let run = ["run", "scene.ron", "--steps", "4", "--force"];
    place.sim(&[&run[..], &["--profile"]].concat()).exit(0);
    let profile = place.read("out/scene/profile.csv");
    assert_eq!(profile.lines().count(), 5, "{profile}");
    let svg = place.read("out/scene/profile.svg");
    for phase in ["assembly", "linear solve", "collision", "line search", "other", "output"] {
        assert!(svg.lines().any(|line| line.trim() == phase), "{phase}");
    }
    place.sim(&run).exit(0);
    for file in ["profile.csv", "profile.svg"] {
        assert!(!place.path("out/scene").join(file).exists(), "{file}");
    }
}

#[test]
fn trace_is_written_to_its_path_and_replaces_nothing_without_force() {
    let place = Place::new(SCENE);
    let run = ["run", "scene.ron", "--steps", "4", "--trace", "trace.csv", "-q"];
    place.sim(&run).exit(0);
    let trace = place.read("trace.csv");
    assert!(trace.starts_with("step,time,h,solve,") && trace.lines().count() > 4, "{trace}");
    assert!(place.read("trace.svg").contains("iterations"));
    let with = |more: &[&'static str]| [&run[..], more].concat();
    let refused = place.sim(&with(&["-o", "elsewhere"])).exit(2);
    for word in ["trace.csv", "--force", "--resume"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    assert!(!place.path("elsewhere").exists(), "it is refused before the run begins");
    place.sim(&with(&["--force"])).exit(0);
    assert_eq!(place.read("trace.csv"), trace);
    place.write("mine.svg", "<svg/>");
    for more in [&["-o", "elsewhere"][..], &["--force"]] {
        let run = ["run", "scene.ron", "--steps", "4", "--trace", "mine.csv", "-q"];
        let refused = place.sim(&[&run[..], more].concat()).exit(2);
        assert!(refused.stderr.contains("mine.svg"), "{}", refused.stderr);
        assert_eq!(place.read("mine.svg"), "<svg/>");
    }
    for name in ["scene.ron", "out/scene/history.csv", "trace.txt"] {
        let run = ["run", "scene.ron", "--steps", "4", "--force", "--trace", name];
        let refused = place.sim(&run).exit(2);
        assert!(refused.stderr.contains(name), "{}", refused.stderr);
    }
}

#[test]
fn run_is_replaced_or_continued_only_on_request() {
    let place = Place::new(SCENE);
    let run = ["run", "scene.ron", "--steps", "4", "-o", "results/first"];
    place.sim(&run).exit(0);
    let before = place.read("results/first/history.csv");
    let refused = place.sim(&run).exit(2);
    for word in ["results/first", "--resume", "--force", "-o"] {
        assert!(refused.stderr.contains(word), "{word}: {}", refused.stderr);
    }
    assert_eq!(place.read("results/first/history.csv"), before);

    let with = |more: &[&'static str]| [&run[..], more].concat();
    place.sim(&with(&["--force", "--set", "gravity[1]=0"])).exit(0);
    assert_ne!(place.history("results/first/history.csv")[4], before.lines().nth(4).unwrap_or(""));
    assert_eq!(place.history("results/first/history.csv").len(), 6);
    let other = place.sim(&with(&["--resume"])).exit(2);
    assert!(other.stderr.contains("--force"), "{}", other.stderr);
    place.sim(&with(&["--resume", "--force"])).exit(2);
    assert!(!place.path("out").exists(), "-o is the only folder that is written");
}

#[test]
fn run_can_be_extended_in_parts() {
    let place = Place::new(SCENE);
    place.sim(&["run", "scene.ron", "-o", "whole"]).exit(0);
    for steps in ["0", "3", "10", "24", "24"] {
        let part = ["run", "scene.ron", "-o", "parts", "--resume", "--steps", steps];
        place.sim(&part).exit(0);
        let rows = place.history("parts/history.csv").len() - 2;
        assert_eq!(rows.to_string(), steps);
    }
    assert_eq!(place.history("parts/history.csv"), place.history("whole/history.csv"));
}

#[test]
fn quiet_prints_nothing_and_plain_prints_lines() {
    let place = Place::new(SCENE);
    let quiet = place.sim(&["run", "scene.ron", "--quiet"]).exit(0);
    assert_eq!((quiet.stdout.as_str(), quiet.stderr.as_str()), ("", ""));
    let plain = place.sim(&["run", "scene.ron", "--plain", "--force"]).exit(0);
    let lines: Vec<&str> = plain.stderr.lines().collect();
    assert!(lines.first().is_some_and(|line| line.starts_with("step 1/24, t = 0.008 s, ")));
    let last = lines.last().copied().unwrap_or_default();
    assert!(last.starts_with("step 24/24, t = 0.200 s, ") && last.ends_with("0 s left"), "{last}");
    assert!(!plain.stderr.contains('\u{1b}'), "no control sequences in a log");
    place.sim(&["run", "scene.ron", "--plain", "--quiet", "--force"]).exit(2);
}

#[test]
fn failed_run_exits_with_one_and_can_be_resumed_with_other_settings() {
    let place = Place::new(SCENE);
    let hard = ["run", "scene.ron", "--set", "bodies.die.velocity=(0, -5, 0)"];
    let with = |more: &[&'static str]| [&hard[..], more].concat();
    let poor = ["--set", "solver.max_iterations=2", "--set", "solver.max_halvings=0"];
    let failed = place.sim(&with(&poor)).exit(1);
    for word in ["step", "failed", "die", "2 iterations", "--resume", "max_halvings"] {
        assert!(failed.stderr.contains(word), "{word}: {}", failed.stderr);
    }
    assert!(failed.stdout.contains("FAILED"), "{}", failed.stdout);
    let summary = place.read("out/scene/summary.json");
    assert!(summary.contains("\"status\": \"failed\""), "{summary}");
    assert!(summary.contains("\"reason\": \"step "), "{summary}");
    place.sim(&with(&["--resume"])).exit(0);
    assert_eq!(place.history("out/scene/history.csv").len(), 26);
}

#[test]
fn invalid_arguments_are_rejected() {
    let place = Place::new(SCENE);
    for wrong in [
        &["run"][..],
        &["run", "scene.ron", "--threads", "0"],
        &["run", "scene.ron", "--steps", "-1"],
        &["run", "scene.ron", "--colour"],
        &["walk", "scene.ron"],
        &["check"],
    ] {
        let output = place.sim(wrong).exit(2);
        assert!(output.stdout.is_empty() && !output.stderr.is_empty(), "{wrong:?}");
    }
    assert!(!place.path("out").exists());
}
