//! Checks the scenes of all runs before the first one starts.

use crate::plan::Plan;
use resile_scene::description::Severity;
use resile_scene::text::{Diagnostic, SceneText};

/// Findings in the scenes of a sweep. Each is listed once, with its runs.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Checked {
    findings: Vec<(Diagnostic, Vec<usize>)>,
    /// Number of checked runs.
    run_count: usize,
}

/// Largest number of runs that a message lists.
const MAX_LISTED: usize = 3;

impl Checked {
    /// Adds the findings in the scene of a run; findings about a value of the plan point to it.
    pub fn add(
        &mut self,
        plan: &Plan,
        run: usize,
        diagnostics: impl IntoIterator<Item = Diagnostic>,
    ) {
        let assignments = plan.assignments(run);
        for mut diagnostic in diagnostics {
            if diagnostic.file == "--set" && assignments.contains(&diagnostic.source) {
                diagnostic.file = "--vary".to_owned();
            }
            match self.findings.iter_mut().find(|(existing, _)| is_same(existing, &diagnostic)) {
                Some((_, runs)) if runs.last() == Some(&run) => {}
                Some((_, runs)) => runs.push(run),
                None => self.findings.push((diagnostic, vec![run])),
            }
        }
        self.run_count = self.run_count.max(run + 1);
    }

    /// Whether any scene has errors.
    pub fn has_errors(&self) -> bool {
        self.findings.iter().any(|(diagnostic, _)| diagnostic.severity == Severity::Error)
    }

    /// All findings, in the order of their discovery. The message of a finding that some runs do not have lists its
    /// runs.
    pub fn diagnostics(&self) -> Vec<Diagnostic> {
        let with_runs = |(finding, runs): &(Diagnostic, Vec<usize>)| {
            let mut diagnostic = finding.clone();
            if runs.len() < self.run_count {
                diagnostic.message += &format!(" ({})", run_list(runs));
            }
            diagnostic
        };
        self.findings.iter().map(with_runs).collect()
    }
}

/// Whether two findings are equivalent: equal, or equal except for the value of the varied parameter that they are
/// about.
fn is_same(a: &Diagnostic, b: &Diagnostic) -> bool {
    let parameter_of = |diagnostic: &Diagnostic| {
        let path = diagnostic.source.split_once('=').map(|(path, _)| path.to_owned());
        path.filter(|_| diagnostic.file == "--vary")
    };
    let share_parameter = parameter_of(a).is_some() && parameter_of(a) == parameter_of(b);
    let cause_of = |diagnostic: &Diagnostic| {
        let Diagnostic { severity, path, message, help, .. } = diagnostic;
        (*severity, path.clone(), message.clone(), help.clone())
    };
    a == b || (share_parameter && cause_of(a) == cause_of(b))
}

/// The first runs of a list, and the number of further ones.
fn run_list(runs: &[usize]) -> String {
    let listed: Vec<String> = runs.iter().take(MAX_LISTED).map(usize::to_string).collect();
    let (listed, omitted) = (listed.join(", "), runs.len().saturating_sub(MAX_LISTED));
    match (runs.len(), omitted) {
        (1, _) => format!("run {listed}"),
        (_, 0) => format!("runs {listed}"),
        _ => format!("runs {listed} and {omitted} more"),
    }
}

/// All errors of a scene in one line, as the reason in the table of a run that cannot begin.
pub fn reasons(problems: &[Diagnostic]) -> String {
    let errors = problems.iter().filter(|diagnostic| diagnostic.severity == Severity::Error);
    let messages = errors.map(|diagnostic| match diagnostic.path.as_str() {
        "" => diagnostic.message.clone(),
        path => format!("{path}: {}", diagnostic.message),
    });
    messages.collect::<Vec<_>>().join("; ")
}

/// Reads and checks the scene of every run. O(runs times the length of the scene).
pub fn check(plan: &Plan, base: &SceneText) -> Checked {
    let mut checked = Checked::default();
    for run in 0..plan.run_count() {
        let (text, mut diagnostics) = plan.text_and_errors(base, run);
        diagnostics.extend(text.load().map_or_else(|problems| problems, |loaded| loaded.warnings));
        checked.add(plan, run, diagnostics);
    }
    checked
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Design;

    const SCENE: &str = r#"(
        version: 1,
        materials: { "rubber": (density: 1000, model: NeoHookean(young: 2e5, poisson: 0.3)) },
        bodies: [(name: "die", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), material: "rubber")],
        gravity: (0, -9.81, 0),
        integrator: ImplicitEuler,
        time: (step: 0.01, duration: 1),
    )"#;

    fn found(vary: &[&str]) -> Vec<String> {
        let vary: Vec<String> = vary.iter().map(|&text| text.to_owned()).collect();
        let plan = Plan::new(&vary, Design::Grid).expect("the plan is well formed");
        let checked = check(&plan, &SceneText::new("scene.ron", SCENE));
        checked.diagnostics().iter().map(ToString::to_string).collect()
    }

    #[test]
    fn value_out_of_range_is_reported_once_with_its_runs() {
        let found = found(&["materials.rubber.density=-1:1000:4", "time.step=0.01,0.02"]);
        assert_eq!(found.len(), 1, "{found:#?}");
        for word in ["--vary:1:", "materials.rubber.density=-1", "(runs 0, 1)"] {
            assert!(found[0].contains(word), "{found:#?}");
        }
    }

    #[test]
    fn unknown_paths_and_values_are_reported_together() {
        let found = found(&["bodies.dice.friction=0:1:4", "integrator=Bdf2,Bdf7"]);
        let text = found.join("\n");
        for word in ["no `dice`", "Bdf7", "(runs 1, 3, 5 and 1 more)"] {
            assert!(text.contains(word), "{word}: {text}");
        }
    }

    #[test]
    fn unknown_field_is_reported_once_for_all_its_values() {
        let found = found(&["bodies.die.frition=0:1:4", "time.step=0.01,0.02"]);
        assert_eq!(found.len(), 1, "{found:#?}");
        assert!(
            found[0].contains("did you mean `friction`") && !found[0].contains("(run"),
            "{found:#?}"
        );
    }

    #[test]
    fn valid_plans_have_no_diagnostics() {
        assert_eq!(found(&["integrator=Bdf2,ASearch()", "time.step=1/100,1/200"]), [""; 0]);
    }
}
