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
    /// The time step.
    pub(crate) step: StepSize,
    /// Name of the folder of its run, within that of the comparison.
    pub(crate) folder: String,
    /// The text of the scene with the overrides of this variant.
    pub(crate) text: SceneText,
    option_overrides: Vec<OptionOverride>,
    /// The integrator's name in the scene format.
    pub(super) method: String,
    /// Indices of its integrator and its step, for colours and dashes.
    pub(super) method_and_step: [usize; 2],
    /// Whether there are several steps.
    pub(super) several_steps: bool,
}

impl Variant {
    /// Locates a problem: in the file of the scene, or in the faulty option.
    pub(crate) fn diagnose(&self, problem: &Problem) -> Diagnostic {
        refer_to_option(self.text.diagnose(problem), &self.option_overrides)
    }

    /// The step as `1/120`, or in seconds.
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

    /// The name in legends: the integrator and, if there are several steps, the step.
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
pub(crate) fn make_variants(
    base: &SceneText,
    request: &RequestedComparison,
) -> (Vec<Variant>, Vec<Diagnostic>) {
    let scene_step = [None];
    let steps: Vec<Option<u32>> = request.steps.iter().copied().map(Some).collect();
    let steps = if steps.is_empty() { &scene_step[..] } else { &steps };
    let (mut variants, mut errors) = (Vec::<Variant>::new(), Vec::new());
    for (method_index, method) in request.methods.iter().enumerate() {
        for (step_index, &step) in steps.iter().enumerate() {
            let option_overrides = overrides_of_options(method, step, request.duration);
            match apply_overrides(base, &option_overrides) {
                Err(diagnostics) => {
                    let converted =
                        diagnostics.into_iter().map(|d| refer_to_option(d, &option_overrides));
                    errors.extend(converted);
                }
                Ok((scene, text)) => {
                    let mut variant = Variant {
                        integrator: display_name(method, &scene),
                        step: scene.time.step,
                        folder: String::new(),
                        text,
                        option_overrides,
                        method: scheme_name(&scene.integrator),
                        method_and_step: [method_index, step_index],
                        several_steps: steps.len() > 1,
                    };
                    variant.folder = unique_folder(&variant, method, &variants);
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
    /// The argument of `--set` up to the value, such as `integrator=`.
    field: &'static str,
    value: String,
}

impl OptionOverride {
    /// The argument of `--set`.
    fn argument(&self) -> String {
        format!("{}{}", self.field, self.value)
    }
}

/// The overrides of scene fields that follow from the options of the command.
fn overrides_of_options(
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

/// If a finding is about an override, converts it to one about the option that the override stems from.
fn refer_to_option(mut diagnostic: Diagnostic, option_overrides: &[OptionOverride]) -> Diagnostic {
    let is_source = |candidate: &&OptionOverride| {
        diagnostic.file == "--set" && diagnostic.source == candidate.argument()
    };
    if let Some(option_override) = option_overrides.iter().find(is_source) {
        let (field_length, value_length) =
            (option_override.field.chars().count(), option_override.value.chars().count());
        let (begin, end) = (diagnostic.column, diagnostic.column + diagnostic.width);
        // A finding about the field refers to the whole value.
        let in_value = begin > field_length;
        diagnostic.column = if in_value { begin - field_length } else { 1 };
        diagnostic.width = if in_value { end - begin } else { value_length.max(1) };
        diagnostic.file = option_override.option.to_owned();
        diagnostic.source = option_override.value.clone();
    }
    diagnostic
}

/// The scene with overrides, parsed and as text.
fn apply_overrides(
    base: &SceneText,
    option_overrides: &[OptionOverride],
) -> Result<(Scene, SceneText), Vec<Diagnostic>> {
    let mut text = base.clone();
    for option_override in option_overrides {
        text.set(&option_override.argument()).map_err(|diagnostic| vec![*diagnostic])?;
    }
    Ok((text.read()?, text))
}

/// The name of the integrator in tables and legends.
fn display_name(method: &Method, scene: &Scene) -> String {
    match method {
        Method::OfScene => format!("scene ({})", scheme_name(&scene.integrator)),
        Method::Ron(text) => text.strip_suffix("()").unwrap_or(text).to_owned(),
    }
}

/// The integrator's name in the scene format.
fn scheme_name(integrator: &Scheme) -> String {
    let text = ron::to_string(integrator).unwrap_or_default();
    text.split('(').next().unwrap_or("").to_owned()
}

/// A name for the folder of a variant that no earlier variant has.
fn unique_folder(variant: &Variant, method: &Method, earlier: &[Variant]) -> String {
    let name = match method {
        Method::OfScene => "scene".to_owned(),
        Method::Ron(_) => kebab(&variant.integrator),
    };
    let name = format!("{name}-h{}", variant.step_name().replace('/', "_"));
    let is_taken = |name: &str| earlier.iter().any(|variant| variant.folder == name);
    let numbered_names = (2..).map(|number| format!("{name}-{number}"));
    let mut names = std::iter::once(name.clone()).chain(numbered_names);
    names.find(|name| !is_taken(name)).unwrap_or(name)
}

/// The words of a text in lower case, joined by hyphens: `Newmark(beta: 0.25)` gives `newmark-beta-0.25`.
fn kebab(text: &str) -> String {
    let mut words = String::new();
    let mut previous = ' ';
    for letter in text.chars() {
        let starts_word =
            letter.is_uppercase() && previous.is_alphanumeric() || !is_portable(letter);
        if starts_word && !words.ends_with('-') {
            words.push('-');
        }
        if is_portable(letter) {
            words.extend(letter.to_lowercase());
        }
        previous = letter;
    }
    // Limit the length of file names.
    let words: String = words.chars().take(80).collect();
    words.trim_matches('-').to_owned()
}

/// Whether a character is portable in file names.
fn is_portable(letter: char) -> bool {
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
