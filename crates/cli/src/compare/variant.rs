//! Variants: the text of the scene with another integrator and step.

use super::choose::Method;
use resile_scene::description::{Problem, Scene, Scheme, StepSize};
use resile_scene::text::{Diagnostic, SceneText};

/// A requested comparison.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct RequestedComparison {
    /// Integrators.
    pub(crate) methods: Vec<Method>,
    /// Steps per second (1/s); empty for the step of the scene.
    pub(crate) steps: Vec<u32>,
    /// Simulated time (s); `None` for that of the scene.
    pub(crate) duration: Option<f64>,
}

/// A scene with one integrator and one step.
#[derive(Debug, Clone)]
pub(crate) struct Variant {
    /// The name of the integrator in tables and legends.
    pub(crate) integrator: String,
    /// The step.
    pub(crate) step: StepSize,
    /// Name of the folder of its run, within that of the comparison.
    pub(crate) folder: String,
    /// The scene.
    pub(crate) text: SceneText,
    option_overrides: Vec<OptionOverride>,
    /// The integrator's name in the scene format.
    pub(super) method: String,
    /// Indices of its integrator and its step, for colours and dashes.
    pub(super) place: [usize; 2],
    /// Whether there are several steps.
    pub(super) several_steps: bool,
}

impl Variant {
    /// Locates a problem: in the file of the scene, or in the faulty option.
    pub(crate) fn diagnose(&self, problem: &Problem) -> Diagnostic {
        about_option(self.text.diagnose(problem), &self.option_overrides)
    }

    /// The step in short: `1/120`, or seconds.
    pub(crate) fn step_name(&self) -> String {
        match self.step {
            StepSize::Seconds(seconds) => format!("{seconds}"),
            StepSize::Fraction { numerator, denominator } => format!("{numerator}/{denominator}"),
        }
    }

    /// The arguments of `--set` that give this variant.
    pub(crate) fn overrides(&self) -> Vec<String> {
        self.option_overrides.iter().map(OptionOverride::argument).collect()
    }

    /// Scheme and, if there are several, step.
    pub(crate) fn name(&self) -> String {
        match self.several_steps {
            true => format!("{} {}", self.integrator, self.step_name()),
            false => self.integrator.clone(),
        }
    }
}

/// One variant for each integrator and step, ordered by integrator.
///
/// # Errors
/// The diagnostics of variants that cannot be read.
pub(crate) fn variants(
    base: &SceneText,
    request: &RequestedComparison,
) -> (Vec<Variant>, Vec<Diagnostic>) {
    let own_step = [None];
    let steps: Vec<Option<u32>> = request.steps.iter().copied().map(Some).collect();
    let steps = if steps.is_empty() { &own_step[..] } else { &steps };
    let (mut variants, mut errors) = (Vec::<Variant>::new(), Vec::new());
    for (m, method) in request.methods.iter().enumerate() {
        for (s, &step) in steps.iter().enumerate() {
            let option_overrides = option_overrides(method, step, request.duration);
            match variant(base, &option_overrides) {
                Err(diagnostic) => {
                    errors.extend(
                        diagnostic
                            .into_iter()
                            .map(|diagnostic| about_option(diagnostic, &option_overrides)),
                    );
                }
                Ok((scene, text)) => {
                    let mut variant = Variant {
                        integrator: title(method, &scene),
                        step: scene.time.step,
                        folder: String::new(),
                        text,
                        option_overrides,
                        method: kind(&scene.integrator),
                        place: [m, s],
                        several_steps: steps.len() > 1,
                    };
                    variant.folder = free_folder(&variant, method, &variants);
                    variants.push(variant);
                }
            }
        }
    }
    (variants, errors)
}

/// A field set by an option.
#[derive(Debug, Clone, PartialEq, Eq)]
struct OptionOverride {
    option: &'static str,
    /// The text before the value.
    field: &'static str,
    value: String,
}

impl OptionOverride {
    fn argument(&self) -> String {
        format!("{}{}", self.field, self.value)
    }
}

/// The overrides of scene fields that follow from the options of the command.
fn option_overrides(
    method: &Method,
    step: Option<u32>,
    duration: Option<f64>,
) -> Vec<OptionOverride> {
    let mut option_overrides = Vec::new();
    if let Method::Ron(text) = method {
        let (option, field) = ("--integrators", "integrator=");
        option_overrides.push(OptionOverride { option, field, value: text.clone() });
    }
    if let Some(step) = step {
        let (option, field) = ("--steps-per-second", "time.step=1/");
        option_overrides.push(OptionOverride { option, field, value: step.to_string() });
    }
    if let Some(duration) = duration {
        let (option, field) = ("--duration", "time.duration=");
        option_overrides.push(OptionOverride { option, field, value: format!("{duration:?}") });
    }
    option_overrides
}

/// Converts a finding to one about the option that it stems from, if any.
fn about_option(mut diagnostic: Diagnostic, option_overrides: &[OptionOverride]) -> Diagnostic {
    let same =
        |a: &&OptionOverride| diagnostic.file == "--set" && diagnostic.source == a.argument();
    if let Some(option_override) = option_overrides.iter().find(same) {
        let (field_length, value_length) =
            (option_override.field.chars().count(), option_override.value.chars().count());
        let (begin, end) = (diagnostic.column, diagnostic.column + diagnostic.width);
        // A finding about the field refers to the whole value.
        let inside = begin > field_length;
        diagnostic.column = if inside { begin - field_length } else { 1 };
        diagnostic.width = if inside { end - begin } else { value_length.max(1) };
        diagnostic.file = option_override.option.to_owned();
        diagnostic.source = option_override.value.clone();
    }
    diagnostic
}

fn variant(
    base: &SceneText,
    option_overrides: &[OptionOverride],
) -> Result<(Scene, SceneText), Vec<Diagnostic>> {
    let mut text = base.clone();
    for option_override in option_overrides {
        text.set(&option_override.argument()).map_err(|diagnostic| vec![*diagnostic])?;
    }
    Ok((text.read()?, text))
}

fn title(method: &Method, scene: &Scene) -> String {
    match method {
        Method::Own => format!("scene ({})", kind(&scene.integrator)),
        Method::Ron(text) => text.strip_suffix("()").unwrap_or(text).to_owned(),
    }
}

/// The integrator's name in the scene format.
fn kind(integrator: &Scheme) -> String {
    let text = ron::to_string(integrator).unwrap_or_default();
    text.split('(').next().unwrap_or("").to_owned()
}

/// A unique name for the folder.
fn free_folder(variant: &Variant, method: &Method, before: &[Variant]) -> String {
    let name = match method {
        Method::Own => "scene".to_owned(),
        Method::Ron(_) => kebab(&variant.integrator),
    };
    let name = format!("{name}-h{}", variant.step_name().replace('/', "_"));
    let in_use = |name: &str| before.iter().any(|variant| variant.folder == name);
    let numbered = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered);
    names.find(|name| !in_use(name)).unwrap_or(name)
}

/// Words with hyphens between: `Newmark(beta: 0.25)` is `newmark-beta-0.25`.
fn kebab(text: &str) -> String {
    let mut words = String::new();
    let mut before = ' ';
    for letter in text.chars() {
        let begins = letter.is_uppercase() && before.is_alphanumeric() || !is_plain(letter);
        if begins && !words.ends_with('-') {
            words.push('-');
        }
        if is_plain(letter) {
            words.extend(letter.to_lowercase());
        }
        before = letter;
    }
    // Limit the length of file names.
    let words: String = words.chars().take(80).collect();
    words.trim_matches('-').to_owned()
}

fn is_plain(letter: char) -> bool {
    letter.is_ascii_alphanumeric() || matches!(letter, '.' | '_')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folder_names_are_portable() {
        assert_eq!(kebab("ImplicitEuler"), "implicit-euler");
        assert_eq!(kebab("ASearch"), "a-search");
        assert_eq!(kebab("A1"), "a1");
        assert_eq!(kebab("Newmark(beta: 0.25, gamma: 1e-3)"), "newmark-beta-0.25-gamma-1e-3");
        assert_eq!(kebab("X(a: [(b: \"../c\")])"), "x-a-b-..-c");
    }
}
