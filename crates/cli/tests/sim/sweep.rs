//! `sim sweep`: the plan, the runs, the table, and interruptions.

use crate::support::{Place, SCENE, TRUSS};
use std::collections::BTreeMap;

/// Six short runs.
const PLAN: [&str; 8] = [
    "--vary",
    "bodies.die.friction=0:0.8:3",
    "--vary",
    "integrator=ImplicitEuler,ASearch()",
    "--set",
    "output.formats=[]",
    "--steps",
    "12",
];

fn sweep<'a>(folder: &'a str, more: &[&'a str]) -> Vec<&'a str> {
    [&["sweep", "scene.ron", "-o", folder], &PLAN[..], more].concat()
}

/// A finished sweep with two runs at once.
fn finished(place: &Place, folder: &str) -> String {
    place.sim(&sweep(folder, &["-j", "2", "--quiet"])).exit(0);
    place.read(&format!("{folder}/sweep.csv"))
}

#[test]
fn sweep_table_is_independent_of_the_number_of_jobs() {
    let place = Place::new(SCENE);
    let table = finished(&place, "two");
    place.sim(&sweep("one", &["-j", "1", "--quiet"])).exit(0);
    assert_eq!(place.read("one/sweep.csv"), table);
    let lines: Vec<&str> = table.lines().collect();
    let header = "run,bodies.die.friction,integrator,status,steps,time,total_final,";
    assert!(lines[0].starts_with(header), "{}", lines[0]);
    assert_eq!(lines.len(), 7, "{table}");
    assert!(lines[1].starts_with("0,0,ImplicitEuler,complete,12,0.1,"), "{table}");
    assert!(lines[6].starts_with("5,0.8,ASearch(),complete,12,0.1,"), "{table}");
    let plot = place.read("two/total_final-by-bodies.die.friction.svg");
    for word in ["total_final (J)", "ImplicitEuler", "ASearch", "<circle"] {
        assert!(plot.contains(word), "{word}");
    }
    // Each run is the one that `sim run` takes.
    let set = ["--set", "bodies.die.friction=0.4", "--set", "integrator=ASearch()"];
    let run = ["run", "scene.ron", "-o", "run", "--steps", "12", "--quiet"];
    place.sim(&[&run[..], &set, &["--set", "output.formats=[]"]].concat()).exit(0);
    assert_eq!(place.history("two/runs/000003/history.csv"), place.history("run/history.csv"));
    let summary = place.read("two/runs/000003/summary.json");
    assert!(summary.contains("\"bodies.die.friction=0.4\""), "{summary}");
    let again = place.sim(&["rerun", "two/runs/000003", "-o", "again"]).exit(0);
    assert!(
        again.stdout.contains("to the bit") || again.stdout.contains("equal"),
        "{}",
        again.stdout
    );
}

/// What is in the folder of a sweep's runs, but times.
fn contents(place: &Place, folder: &str) -> BTreeMap<String, Vec<u8>> {
    let runs = std::fs::read_dir(place.path(&format!("{folder}/runs"))).expect("there are runs");
    let mut found = BTreeMap::new();
    for run in runs {
        let run = run.expect("it can be read").path();
        for name in ["history.csv", "run.json", "summary.json"] {
            let file = run.join(name);
            if let Ok(bytes) = std::fs::read(&file) {
                found.insert(file.display().to_string(), bytes);
            }
        }
    }
    found
}

#[test]
fn killed_sweep_finishes_with_the_same_table_and_repeats_nothing() {
    let place = Place::new(SCENE);
    let table = finished(&place, "whole");
    let _ = finished(&place, "cut");
    let remove = |name: &str| std::fs::remove_file(place.path(name)).expect("it is there");
    // What a kill leaves: run 1 in the middle, run 2 before its first checkpoint, run 3 not begun, no table.
    std::fs::remove_dir_all(place.path("cut/runs/000001")).expect("it is there");
    let set = ["bodies.die.friction=0", "integrator=ASearch()", "output.formats=[]"];
    let set: Vec<&str> = set.iter().flat_map(|set| ["--set", *set]).collect();
    let partly = ["run", "scene.ron", "-o", "cut/runs/000001", "--steps", "5", "--quiet"];
    place.sim(&[&partly[..], &set].concat()).exit(0);
    for name in ["000001/summary.json", "000002/summary.json", "000002/checkpoint"] {
        remove(&format!("cut/runs/{name}"));
    }
    std::fs::remove_dir_all(place.path("cut/runs/000003")).expect("it is there");
    remove("cut/sweep.csv");
    place.write("cut/.sim-killed.tmp", "half a tab");
    let before = contents(&place, "cut");
    place.sim(&["sweep", "cut", "--quiet", "-j", "2"]).exit(0);
    assert!(!place.path("cut/.sim-killed.tmp").exists());
    assert_eq!(place.read("cut/sweep.csv"), table);
    let after = contents(&place, "cut");
    for run in ["000000", "000004", "000005"] {
        let of = |all: &BTreeMap<String, Vec<u8>>| -> Vec<_> {
            all.iter()
                .filter(|(name, _)| name.contains(run))
                .map(|(n, b)| (n.clone(), b.clone()))
                .collect()
        };
        assert_eq!(of(&before), of(&after), "run {run} was complete");
    }
    let origin = place.read("cut/runs/000001/run.json");
    assert!(origin.contains("\"after_step\": 5"), "it was taken up: {origin}");
    // Once more: everything is there.
    place.sim(&sweep("cut", &["--quiet"])).exit(0);
    assert_eq!(contents(&place, "cut"), after);
}

#[cfg(unix)]
#[test]
fn killed_and_interrupted_runs_of_a_sweep_continue() {
    use crate::support::{begun, interrupt};
    let place = Place::new(SCENE);
    let long = |folder: &str, more: &[&str]| -> Vec<String> {
        let plan =
            ["sweep", "scene.ron", "--vary", "bodies.die.friction=0.1,0.4,0.7", "-o", folder];
        let set = ["--set", "time.duration=1.5", "--set", "output.formats=[]"];
        let set2 = ["--set", "output.checkpoint_steps=1", "--quiet", "-j", "2"];
        [&plan[..], &set, &set2, more].concat().into_iter().map(str::to_owned).collect()
    };
    let whole = long("whole", &[]);
    place.sim(&whole.iter().map(String::as_str).collect::<Vec<_>>()).exit(0);
    let arguments = long("cut", &[]);
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    for (rows, history) in [(5, "000000"), (20, "000001"), (60, "000000")] {
        let history = format!("cut/runs/{history}/history.csv");
        let mut child = begun(&place, &arguments, &history, rows);
        // SIGKILL: the processes of the runs stop by themselves when their input ends.
        child.kill().expect("the child is ours");
        let _ = child.wait().expect("the child is ours");
    }
    let child = begun(&place, &arguments, "cut/runs/000000/history.csv", 80);
    let output = interrupt(child).exit(1);
    assert!(output.stderr.contains("`sim sweep cut` continues"), "{}", output.stderr);
    place.sim(&arguments).exit(0);
    assert_eq!(place.read("cut/sweep.csv"), place.read("whole/sweep.csv"));
}

#[test]
fn failed_run_of_a_sweep_has_its_reason_and_the_others_run() {
    let place = Place::new(SCENE);
    // Two iterations are too few for the impact.
    let vary = ["--vary", "solver.max_iterations=2,50", "--set", "solver.max_halvings=0"];
    let more = ["--set", "output.formats=[]", "--set", "bodies.die.velocity=(0, -5, 0)", "--quiet"];
    let arguments = [&["sweep", "scene.ron", "-o", "s"], &vary[..], &more].concat();
    let output = place.sim(&arguments).exit(1);
    assert!(output.stderr.contains("1 run failed"), "{}", output.stderr);
    let table = place.read("s/sweep.csv");
    let lines: Vec<&str> = table.lines().collect();
    assert!(lines[1].starts_with("0,2,failed,"), "{table}");
    assert!(lines[1].contains(",,,") && lines[1].contains("iteration"), "{table}");
    assert!(lines[2].starts_with("1,50,complete,24,"), "{table}");
    // It is not repeated, and the table stays.
    let before = contents(&place, "s");
    place.sim(&["sweep", "s", "--quiet"]).exit(1);
    assert_eq!(contents(&place, "s"), before);
    assert_eq!(place.read("s/sweep.csv"), table);
}

/// Damage of one run takes no results from the others, and a repetition of that run restores the table.
#[test]
fn damaged_run_of_a_sweep_is_a_failed_row_and_the_others_are_collected() {
    let place = Place::new(SCENE);
    let table = finished(&place, "s");
    let remove = |name: &str| std::fs::remove_file(place.path(name)).expect("it is there");
    place.write("s/runs/000001/summary.json", "broken");
    remove("s/runs/000002/history.csv");
    let history = place.read("s/runs/000003/history.csv");
    let beginning: String = history.split_inclusive('\n').take(7).collect();
    place.write("s/runs/000003/history.csv", &beginning);
    place.write("s/runs/000004/history.csv", "no table\n");
    for arguments in [&["sweep", "s", "--collect"][..], &["sweep", "s", "--quiet"]] {
        let output = place.sim(arguments).exit(1);
        for word in ["4 runs failed", "run 1: summary.json is damaged", "remove the folder runs/"] {
            assert!(output.stderr.contains(word), "{word}: {}", output.stderr);
        }
    }
    let damaged = place.read("s/sweep.csv");
    let [was, is] = [&table, &damaged].map(|table| table.lines().collect::<Vec<_>>());
    for run in [0, 5] {
        assert_eq!(is[1 + run], was[1 + run]);
    }
    let reasons = [
        "summary.json is damaged: expected value",
        "history.csv is damaged: it is missing",
        "history.csv is damaged: its last row is step 5, and the run took 12 steps",
        "history.csv is damaged: it is not a table of steps",
    ];
    for (run, reason) in (1..5).zip(reasons) {
        assert!(is[1 + run].contains(",failed,,,,") && is[1 + run].contains(reason), "{damaged}");
    }
    for run in 1..5 {
        std::fs::remove_dir_all(place.path(&format!("s/runs/00000{run}"))).expect("it is there");
    }
    place.sim(&["sweep", "s", "--quiet"]).exit(0);
    assert_eq!(place.read("s/sweep.csv"), table);
    // Without any folder of runs, none has begun.
    std::fs::rename(place.path("s/runs"), place.path("moved")).expect("it is there");
    let output = place.sim(&["sweep", "s", "--collect"]).exit(1);
    assert!(output.stdout.contains("not finished      6"), "{}", output.stdout);
    std::fs::rename(place.path("moved"), place.path("s/runs")).expect("it is there");
    // Columns of results are looked for in undamaged runs.
    place.write("s/runs/000000/summary.json", "broken");
    place.sim(&["sweep", "s", "--collect", "--quiet", "--result", "com_y:min"]).exit(1);
    assert!(place.read("s/sweep.csv").contains("com_y_min"));
}

#[test]
fn retry_repeats_a_damaged_run_of_a_sweep() {
    let place = Place::new(SCENE);
    let table = finished(&place, "s");
    place.write("s/runs/000001/summary.json", "broken");
    std::fs::remove_file(place.path("s/runs/000002/history.csv")).expect("it is there");
    let history = place.read("s/runs/000003/history.csv");
    let beginning: String = history.split_inclusive('\n').take(7).collect();
    place.write("s/runs/000003/history.csv", &beginning);
    place.write("s/runs/000004/history.csv", "no table\n");
    place.sim(&["sweep", "s", "--quiet", "--retry"]).exit(0);
    assert_eq!(place.read("s/sweep.csv"), table);
}

#[test]
fn errors_of_a_plan_are_reported_together_and_nothing_runs() {
    let place = Place::new(SCENE);
    std::fs::create_dir(place.path("taken")).expect("there is room");
    place.write("taken/notes.txt", "mine");
    let vary =
        ["--vary", "bodies.dice.friction=0:1:2", "--vary", "materials.rubber.density=1000,-1"];
    let more = ["--vary", "integrator=Bdf2,Bdf7", "--result", "total:median"];
    let said =
        place.sim(&[&["sweep", "scene.ron", "-o", "taken"], &vary[..], &more].concat()).exit(2);
    let words =
        ["no `dice`", "Bdf7", "`median`", "taken is not empty", "(runs 1, 3, 5 and 1 more)"];
    for word in words {
        assert!(said.stderr.contains(word), "{word}: {}", said.stderr);
    }
    let vary = ["--vary", "materials.rubber.density=1000,-1", "--vary", "time.step=1/120,0"];
    let said = place.sim(&[&["sweep", "scene.ron", "-o", "new"], &vary[..]].concat()).exit(2);
    for word in ["density=-1", "time.step=0", "run"] {
        assert!(said.stderr.contains(word), "{word}: {}", said.stderr);
    }
    let said = place.sim(&sweep("new", &["--result", "speed:max"])).exit(2);
    assert!(said.stderr.contains("no column `speed`"), "{}", said.stderr);
    let outside = ["--vary", "bodies.die.placement.translate=(0,0.06,0),(0,0.01,0)"];
    let said = place.sim(&[&["sweep", "scene.ron", "-o", "new"], &outside[..]].concat()).exit(2);
    assert!(said.stderr.contains("(run 1)"), "bodies intersect: {}", said.stderr);
    let varied = ["--vary", "time.duration=0.1,0.2", "--duration", "0.3"];
    let said = place.sim(&[&["sweep", "scene.ron", "-o", "new"], &varied[..]].concat()).exit(2);
    assert!(said.stderr.contains("`time.duration` is set, but"), "{}", said.stderr);
    let said = place.sim(&sweep("new", &["--result", "total:finl,speed:max,total:99"])).exit(2);
    for word in ["`finl`", "no column `speed`", "no run reaches 99 s"] {
        assert!(said.stderr.contains(word), "{word}: {}", said.stderr);
    }
    let said = place.sim(&sweep("new", &["--seed", "1"])).exit(2);
    assert!(said.stderr.contains("the design grid draws no random samples"), "{}", said.stderr);
    let said = place.sim(&sweep("new", &["--only", "6"])).exit(2);
    assert!(said.stderr.contains("no run 6"), "{}", said.stderr);
    let twice = ["--vary", "bodies.die.friction=0,1", "--vary", "bodies[0].friction=0.3,0.5"];
    let said = place.sim(&[&["sweep", "scene.ron", "-o", "new"], &twice[..]].concat()).exit(2);
    assert!(said.stderr.contains("`bodies[0].friction` replaces it"), "{}", said.stderr);
    assert!(!place.path("new").exists() && !place.path("taken/runs").exists());
    let said = place.sim(&["sweep", "scene.ron"]).exit(2);
    assert!(said.stderr.contains("--vary is missing"), "{}", said.stderr);
}

#[test]
fn folder_of_another_sweep_is_rejected_and_new_results_need_no_runs() {
    let place = Place::new(SCENE);
    let table = finished(&place, "s");
    let before = contents(&place, "s");
    let other = ["sweep", "scene.ron", "-o", "s", "--vary", "bodies.die.friction=0:1:2"];
    let output = place.sim(&other).exit(2);
    for word in ["holds another sweep", "what varies", "the number of steps", "the scene"] {
        assert!(output.stderr.contains(word), "{}", output.stderr);
    }
    assert_eq!(place.read("s/sweep.csv"), table);
    let output = place.sim(&["sweep", "s", "--vary", "a=1,2"]).exit(2);
    assert!(output.stderr.contains("leave out --vary"), "{}", output.stderr);
    let plan = place.read("s/sweep.json");
    let collect = ["sweep", "s", "--quiet", "--collect", "--result"];
    let output = place.sim(&[&collect[..], &["com_y:min,nosuch,total:99"]].concat()).exit(2);
    for word in ["no column `nosuch`", "there are: step, time", "no run reaches 99 s"] {
        assert!(output.stderr.contains(word), "{word}: {}", output.stderr);
    }
    assert_eq!([place.read("s/sweep.csv"), place.read("s/sweep.json")], [table, plan]);
    assert!(place.path("s/total_final-by-bodies.die.friction.svg").exists());
    let output = place.sim(&[&collect[..], &["com_y:min,com_y:0.05,h:0"]].concat()).exit(0);
    assert!(output.stderr.contains("no run has a value of h_at_0"), "{}", output.stderr);
    assert!(!place.path("s/total_final-by-bodies.die.friction.svg").exists());
    assert!(place.path("s/com_y_min-by-bodies.die.friction.svg").exists());
    let changed = place.read("s/sweep.csv");
    assert!(changed.starts_with(
        "run,bodies.die.friction,integrator,status,steps,time,com_y_min,com_y_at_0.05,"
    ));
    assert_eq!(contents(&place, "s"), before);
}

#[test]
fn results_at_times_that_no_run_reaches_are_refused_before_the_first_run() {
    let place = Place::new(SCENE);
    // Twelve steps of 1/120 s.
    let message = place.sim(&sweep("s", &["--result", "total:0.05,com_y:99"])).exit(2).stderr;
    assert!(message.contains("--result com_y:99: no run reaches 99 s: the longest ends at 0.1 s"));
    assert!(!message.contains("total:0.05") && !place.path("s").exists(), "{message}");
    let durations = ["sweep", "scene.ron", "-o", "d", "--vary", "time.duration=0.01,0.02"];
    let result = |result: &'static str| [&durations[..], &["--quiet", "--result", result]].concat();
    place.sim(&result("total:0.03")).exit(2);
    place.sim(&result("total:0.02")).exit(0);
    let message = place.sim(&["sweep", "d", "--collect", "--result", "total:1"]).exit(2).stderr;
    assert!(message.contains("the longest ends at 0.025 s"), "{message}");
}

#[test]
fn plan_option_runs_nothing() {
    let place = Place::new(SCENE);
    let design = ["--design", "latin-hypercube", "--runs", "5", "--seed", "3"];
    let vary = ["--vary", "bodies.die.friction=0:1", "--vary", "integrator=Bdf2,ASearch()"];
    let output =
        place.sim(&[&["sweep", "scene.ron", "--plan"], &vary[..], &design].concat()).exit(0);
    for word in ["bodies.die.friction", "5 runs, 120 steps in all", "of memory", "out/scene-sweep"]
    {
        assert!(output.stdout.contains(word), "{word}: {}", output.stdout);
    }
    assert!(!place.path("out").exists());
}

/// A plan uses no folder, so one with another sweep is no error of it; the same scene in another version is no other sweep.
#[test]
fn plan_beside_another_sweep_is_printed_with_a_note() {
    let place = Place::new(&SCENE.replacen("version: 2", "version: 1", 1));
    finished(&place, "s");
    let vary = ["--vary", "bodies.die.friction=0:1:3"];
    let begin = ["sweep", "scene.ron", "-o", "s"];
    let output = place.sim(&[&begin[..], &vary, &["--plan"]].concat()).exit(0);
    assert!(output.stdout.contains("3 runs, 72 steps in all"), "{}", output.stdout);
    assert!(
        output.stderr.contains("note: s holds another sweep (the scene, "),
        "{}",
        output.stderr
    );
    place.sim(&[&begin[..], &vary].concat()).exit(2);
    place.sim(&["new", "new.ron", "--from", "scene.ron"]).exit(0);
    place.write("scene.ron", &format!("// Rewritten.\n{}", place.read("new.ron")));
    let output = place.sim(&sweep("s", &["--plan"])).exit(0);
    assert!(!output.stderr.contains("another sweep"), "{}", output.stderr);
}

#[cfg(unix)]
#[test]
fn array_job_collects_the_same_table() {
    let place = Place::new(SCENE);
    let table = finished(&place, "whole");
    let output = place.sim(&sweep("array", &["--slurm"])).exit(0);
    assert!(output.stdout.contains("sbatch array/sweep.sbatch"), "{}", output.stdout);
    let script = place.read("array/sweep.sbatch");
    assert!(script.contains("#SBATCH --array=0-5\n"), "{script}");
    for task in 0..6 {
        let job = std::process::Command::new("sh")
            .arg(place.path("array/sweep.sbatch"))
            .env("SLURM_ARRAY_TASK_ID", task.to_string())
            .output()
            .expect("there is a shell");
        assert!(job.status.success(), "{}", String::from_utf8_lossy(&job.stderr));
        assert!(!place.path("array/sweep.csv").exists());
    }
    place.sim(&["sweep", "array", "--collect", "--quiet"]).exit(0);
    assert_eq!(place.read("array/sweep.csv"), table);
    let output = place.sim(&["sweep", "array", "--only", "6"]).exit(2);
    assert!(output.stderr.contains("the runs 0 to 5"), "{}", output.stderr);
}

#[cfg(unix)]
#[test]
fn links_in_sweep_folders_are_not_followed() {
    let place = Place::new(SCENE);
    let elsewhere = tempfile::tempdir().expect("a folder");
    let _ = finished(&place, "s");
    std::fs::remove_dir_all(place.path("s/runs/000002")).expect("it is there");
    std::os::unix::fs::symlink(elsewhere.path(), place.path("s/runs/000002"))
        .expect("links can be made");
    let output = place.sim(&["sweep", "s", "--quiet"]).exit(1);
    assert!(output.stderr.contains("link"), "{}", output.stderr);
    assert_eq!(std::fs::read_dir(elsewhere.path()).expect("it is there").count(), 0);
}

/// The largest load along an equilibrium path, in each run.
#[test]
fn limit_loads_are_results() {
    let place = Place::new(&TRUSS.replace("duration: 3", "duration: 40"));
    let vary = "bodies.truss.terms[0].stiffness=1000,2000";
    let sweep =
        ["sweep", "scene.ron", "--vary", vary, "--result", "load_time:max", "-o", "out", "-q"];
    place.sim(&sweep).exit(0);
    let table = place.read("out/sweep.csv");
    let column = table.lines().next().unwrap().split(',').position(|name| name == "load_time_max");
    let of = |row: &str| row.split(',').nth(column.unwrap()).unwrap().parse::<f64>().unwrap();
    let loads: Vec<f64> = table.lines().skip(1).map(of).collect();
    // `2 k y (l_0 / l - 1)` where `l = l_0^(1/3)`.
    let rest = 1.25_f64.sqrt();
    let length = rest.cbrt();
    let limit = 2000.0 * (length * length - 1.0).sqrt() * (rest / length - 1.0);
    assert_eq!(loads.len(), 2, "{table}");
    for (load, scale) in loads.iter().zip([1.0, 2.0]) {
        assert!(
            (load / (scale * limit) - 1.0).abs() < 1e-2,
            "{load} for {}: {table}",
            scale * limit
        );
    }
}

/// With --force the runs, the table and the plots of an earlier sweep are removed, and nothing else.
#[test]
fn forced_sweep_replaces_the_one_in_its_folder() {
    let place = Place::new(SCENE);
    finished(&place, "s");
    std::fs::write(place.path("s/notes.txt"), "mine").expect("the folder can be written");
    let other = ["--vary", "bodies.die.friction=0,0.5", "--steps", "6", "--quiet"];
    let start = ["sweep", "scene.ron", "-o", "s"];
    let refused = place.sim(&[&start[..], &other].concat()).exit(2).stderr;
    assert!(refused.contains("replace that one with --force"), "{refused}");
    place.sim(&[&start[..], &other, &["--force"]].concat()).exit(0);
    place.sim(&[&["sweep", "scene.ron", "-o", "new"][..], &other].concat()).exit(0);
    assert_eq!(place.read("s/sweep.csv"), place.read("new/sweep.csv"));
    assert_eq!(place.read("s/notes.txt"), "mine");
    assert!(!place.path("s/runs/000002/history.csv").exists(), "the third run is gone");
    let old_plot = "s/total_final-by-bodies.die.friction.svg";
    assert_eq!(place.read(old_plot), place.read(&old_plot.replacen('s', "new", 1)));
    let named = place.sim(&["sweep", "s", "--force"]).exit(2).stderr;
    assert!(named.contains("leave out --force"), "{named}");
    place.sim(&["sweep", "scene.ron", "-o", "s", "--force", "--collect", "--vary", "a=1"]).exit(2);
    let said = place.sim(&["sweep", "s", "--collect", "--retry"]).exit(2).stderr;
    assert!(said.contains("cannot be used with"), "{said}");
}
