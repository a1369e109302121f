//! Runs of a sweep.

use crate::design::Design;
use crate::values::Values;
use resile_scene::description::Severity;
use resile_scene::text::{Diagnostic, SceneText};

/// Largest number of runs of a plan; file systems become slow with more folders.
pub const MAX_RUNS: usize = 1_000_000;

/// The field of a scene that determines the units of its results.
const UNITS: &str = "units";

/// A varied field of the scene.
#[derive(Debug, Clone, PartialEq)]
pub struct Parameter {
    /// Path, as for `--set`.
    pub path: String,
    /// Values of the field.
    pub values: Values,
}

/// The runs of a sweep: parameters and a design.
#[derive(Debug, Clone, PartialEq)]
pub struct Plan {
    parameters: Vec<Parameter>,
    design: Design,
    /// Values, run by run.
    runs: Vec<Vec<String>>,
}

impl Plan {
    /// Creates a plan from `PATH=VALUES` arguments, as for `--vary` ([`Values::parse`]).
    ///
    /// # Errors
    /// All errors: malformed values, repeated paths, values that do not fit the design, too many runs.
    pub fn new(vary: &[String], design: Design) -> Result<Self, Vec<Diagnostic>> {
        let (mut parameters, mut errors) = (Vec::<Parameter>::new(), Vec::new());
        for argument in vary {
            match parse_parameter(argument) {
                Ok(parameter)
                    if parameters.iter().any(|existing| existing.path == parameter.path) =>
                {
                    let message = format!("`{}` is varied twice", parameter.path);
                    errors.push(error_about(
                        argument,
                        &parameter.path,
                        message,
                        "remove one of them",
                    ));
                }
                Ok(parameter) if parameter.path == UNITS => {
                    let message = "`units` cannot be varied: a column of the table would hold different units";
                    let help = "choose one system for all runs with `--set units=...`; results do not depend on it";
                    errors.push(error_about(argument, UNITS, message.to_owned(), help));
                }
                Ok(parameter) => {
                    errors.extend(interval_problem(argument, &parameter, design));
                    parameters.push(parameter);
                }
                Err(diagnostic) => errors.push(*diagnostic),
            }
        }
        if errors.is_empty() {
            errors.extend(unequal_counts(vary, &parameters, design));
            errors.extend(too_many_runs(vary, &parameters, design));
        }
        if !errors.is_empty() {
            return Err(errors);
        }
        let values: Vec<&Values> = parameters.iter().map(|parameter| &parameter.values).collect();
        let runs = design.runs(&values);
        Ok(Self { parameters, design, runs })
    }

    /// Varied fields.
    pub fn parameters(&self) -> &[Parameter] {
        &self.parameters
    }

    /// Design of the sweep.
    pub fn design(&self) -> Design {
        self.design
    }

    /// Number of runs.
    pub fn run_count(&self) -> usize {
        self.runs.len()
    }

    /// Values of a run, in the order of the parameters.
    pub fn values(&self, run: usize) -> &[String] {
        &self.runs[run]
    }

    /// Assignments of a run, as for `--set`.
    pub fn assignments(&self, run: usize) -> Vec<String> {
        let pairs = self.parameters.iter().zip(&self.runs[run]);
        pairs.map(|(parameter, value)| format!("{}={value}", parameter.path)).collect()
    }

    /// Errors for those of the `assignments` of all runs (as for `--set`) whose field, or a field around it, is varied in any
    /// spelling: the values of each run would replace theirs. `base` is the scene with these assignments.
    pub fn replaced_assignments(
        &self,
        base: &SceneText,
        assignments: &[String],
    ) -> Vec<Diagnostic> {
        let replaced = assignments.iter().filter_map(|assignment| {
            let path = assignment.split_once('=')?.0.trim();
            let parameter = self.parameters.iter().find(|p| base.covers(&p.path, path))?;
            let message = format!("`{path}` is set, but `{}` is varied", parameter.path);
            let file = "--set".to_owned();
            Some(Diagnostic {
                file,
                ..error_about(assignment, path, message, "remove one of them")
            })
        });
        replaced.collect()
    }

    /// Errors for parameters whose values those of a later parameter would replace: of the same field in another spelling, or
    /// of a field around it. `vary` are the arguments of the plan.
    pub fn replaced_parameters(&self, base: &SceneText, vary: &[String]) -> Vec<Diagnostic> {
        let replaced = self.parameters.iter().enumerate().filter_map(|(index, parameter)| {
            let mut later = self.parameters[index + 1..].iter();
            let other = later.find(|other| base.covers(&other.path, &parameter.path))?;
            let message =
                format!("`{}` is varied, but `{}` replaces it", parameter.path, other.path);
            Some(error_about(&vary[index], &parameter.path, message, "remove one of them"))
        });
        replaced.collect()
    }

    /// The scene of a run: the base with the values of its parameters.
    ///
    /// # Errors
    /// Every path that does not lead to a field.
    pub fn text(&self, base: &SceneText, run: usize) -> Result<SceneText, Vec<Diagnostic>> {
        let (text, errors) = self.text_and_errors(base, run);
        if errors.is_empty() { Ok(text) } else { Err(errors) }
    }

    /// The scene of a run with all values that can be set, and the diagnostics of those that cannot.
    pub(crate) fn text_and_errors(
        &self,
        base: &SceneText,
        run: usize,
    ) -> (SceneText, Vec<Diagnostic>) {
        let (mut text, mut errors) = (base.clone(), Vec::new());
        for assignment in self.assignments(run) {
            errors.extend(text.set(&assignment).err().map(|diagnostic| *diagnostic));
        }
        (text, errors)
    }
}

/// Parses `PATH=VALUES`.
fn parse_parameter(argument: &str) -> Result<Parameter, Box<Diagnostic>> {
    let Some((path, values)) = argument.split_once('=') else {
        let help = "the form is `--vary PATH=VALUES`, such as `--vary bodies.die.friction=0:1:20`";
        return Err(Box::new(error_about(argument, argument, "there is no `=`".into(), help)));
    };
    let path = path.trim().to_owned();
    match Values::parse(values) {
        Ok(values) => Ok(Parameter { path, values }),
        Err([message, help]) => Err(Box::new(error_about(argument, values, message, &help))),
    }
}

/// The diagnostic for an interval that lacks a number of values, or that has one in a random design, which takes it
/// from the number of runs.
fn interval_problem(argument: &str, parameter: &Parameter, design: Design) -> Option<Diagnostic> {
    let Values::Range { count, .. } = parameter.values else { return None };
    let (message, help) = match (design.is_random(), count) {
        (false, None) => (
            "the interval has no number of values",
            "write `FIRST:LAST:COUNT`, or choose `--design random` or `--design latin-hypercube`",
        ),
        (true, Some(_)) => (
            "the interval has a number of values, but `--runs` gives the number of runs",
            "write `FIRST:LAST`",
        ),
        _ => return None,
    };
    let values = argument.split_once('=').map_or("", |(_, values)| values);
    Some(error_about(argument, values, message.to_owned(), help))
}

/// Diagnostics for parameters of a zip whose number of values differs from that of the first parameter.
fn unequal_counts(vary: &[String], parameters: &[Parameter], design: Design) -> Vec<Diagnostic> {
    let counts: Vec<usize> = parameters.iter().filter_map(|p| p.values.count()).collect();
    let Some(&first) = counts.first().filter(|_| design == Design::Zip) else { return Vec::new() };
    let different = vary.iter().zip(&counts).filter(|(_, count)| **count != first);
    let messages = different.map(|(argument, count)| {
        let values = argument.split_once('=').map_or("", |(_, values)| values);
        let message = format!("{count} values, but the first parameter has {first}");
        error_about(argument, values, message, "`--design zip` requires equally many values")
    });
    messages.collect()
}

/// The diagnostic for a plan with too many runs.
fn too_many_runs(vary: &[String], parameters: &[Parameter], design: Design) -> Option<Diagnostic> {
    let counts = parameters.iter().filter_map(|parameter| parameter.values.count());
    let runs = match design {
        Design::Grid => counts.fold(1usize, usize::saturating_mul),
        Design::Zip => counts.max().unwrap_or(0),
        Design::Random { runs, .. } | Design::LatinHypercube { runs, .. } => runs,
    };
    let message = format!("{runs} runs; a sweep has at most {MAX_RUNS}");
    let argument = vary.first().map_or("", String::as_str);
    let help = "take fewer values, or a random design";
    (runs > MAX_RUNS).then(|| error_about(argument, argument, message, help))
}

/// A diagnostic about a part of an argument of `--vary`.
fn error_about(argument: &str, part: &str, message: String, help: &str) -> Diagnostic {
    let offset = argument.rfind(part).filter(|_| !part.is_empty()).unwrap_or(0);
    Diagnostic {
        severity: Severity::Error,
        file: "--vary".to_owned(),
        line: 1,
        column: 1 + argument[..offset].chars().count(),
        width: part.chars().count().max(1),
        source: argument.to_owned(),
        skipped: 0,
        path: String::new(),
        message,
        help: help.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn plan(vary: &[&str], design: Design) -> Result<Plan, Vec<String>> {
        let vary: Vec<String> = vary.iter().map(|&text| text.to_owned()).collect();
        Plan::new(&vary, design).map_err(|errors| errors.iter().map(ToString::to_string).collect())
    }

    #[test]
    fn run_sets_one_value_of_each_parameter() {
        let plan = plan(&["a.b = 0:1:3", "c=(1, 2),(3, 4)"], Design::Grid).expect("it is good");
        assert_eq!(plan.run_count(), 6);
        assert_eq!(plan.assignments(4), ["a.b=1", "c=(1, 2)"]);
    }

    #[test]
    fn all_errors_are_reported_together() {
        let vary = ["no values", "a=0:1", "b=0:1:x", "c=1,2", "c=3", "units=Metres,Millimetres"];
        let errors = plan(&vary, Design::Grid).expect_err("five are wrong");
        let expected = [
            "there is no `=`",
            "no number of values",
            "`x` is not",
            "varied twice",
            "`units` cannot be varied",
        ];
        assert_eq!(errors.len(), expected.len(), "{errors:#?}");
        for (error, expected) in errors.iter().zip(expected) {
            assert!(error.contains(expected) && error.contains("--vary:1:"), "{error}");
        }
    }

    /// A base in which fields have several spellings.
    fn base() -> SceneText {
        SceneText::new(
            "scene.ron",
            "(bodies: [(name: \"die\", friction: 1)], a: (b: 1, bc: 2), c: 3)",
        )
    }

    #[test]
    fn assignments_to_varied_fields_are_errors() {
        let plan = plan(&["a.b=1,2", "c=3,4", "bodies.die.friction=0,1"], Design::Grid);
        let plan = plan.expect("it is good");
        let set = ["a.b = 3", "a.bc=1", "a=(b: 1, d: 2)", "c.e=1", "bodies[0].friction=2"];
        let errors = plan.replaced_assignments(&base(), &set.map(str::to_owned));
        let errors: Vec<String> = errors.iter().map(ToString::to_string).collect();
        let [first, second, third] = &errors[..] else { panic!("{errors:#?}") };
        assert!(first.contains("--set:1:1") && first.contains("`a.b` is set"), "{first}");
        assert!(second.contains("`c.e` is set, but `c` is varied"), "{second}");
        assert!(third.contains("but `bodies.die.friction` is varied"), "{third}");
    }

    #[test]
    fn parameters_that_later_ones_replace_are_errors() {
        let vary = ["bodies.die.friction=0,1", "a.b=1,2", "bodies[0].friction=3,4", "a.bc=1,2"];
        let plan = plan(&vary, Design::Grid).expect("it is well formed");
        let errors = plan.replaced_parameters(&base(), &vary.map(str::to_owned));
        let [error] = &errors[..] else { panic!("{errors:#?}") };
        let expected = "`bodies.die.friction` is varied, but `bodies[0].friction` replaces it";
        assert!(error.to_string().contains(expected), "{error}");
    }

    #[test]
    fn values_must_fit_the_design() {
        let random = Design::Random { runs: 3, seed: 0 };
        let cases = [
            (&["a=0:1:3"][..], random, "`--runs`"),
            (&["a=1,2", "b=1,2,3"], Design::Zip, "3 values, but the first parameter has 2"),
            (&["a=0:1:1001", "b=0:1:1000"], Design::Grid, "1001000 runs"),
        ];
        for (vary, design, expected) in cases {
            let errors = plan(vary, design).expect_err(expected);
            assert!(errors.len() == 1 && errors[0].contains(expected), "{errors:#?}");
        }
    }
}
