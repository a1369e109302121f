//! Parses the integrators and steps of a comparison; reports all errors at once.

use resile_scene::description::{Scheme, Severity, nearest};
use resile_scene::text::{Diagnostic, options};
use resile_sweep::list_items;
use ron::Error;

/// The options, as named in error messages.
const INTEGRATORS_OPTION: &str = "--integrators";
const STEPS_OPTION: &str = "--steps-per-second";
/// The name that denotes the integrator of the scene.
const SCENE_INTEGRATOR: &str = "scene";
/// A name that no integrator has; the parser answers it with the list of all names.
const UNKNOWN_NAME: &str = "no_such_integrator";

/// A requested integrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Method {
    /// The integrator of the scene, with its parameters.
    OfScene,
    /// Text as in a scene.
    Ron(String),
}

/// Integrators from lists such as `a-search, Newmark(beta: 0.25, gamma: 0.5)`.
///
/// Commas in brackets do not separate. Names are matched without regard to case,
/// `-` and `_`; a name alone has the parameters' defaults.
///
/// # Errors
/// A diagnostic for every unknown name, and for repetitions.
pub(crate) fn parse_methods(lists: &[String]) -> (Vec<Method>, Vec<Diagnostic>) {
    let (methods, mut errors) = parse_items(INTEGRATORS_OPTION, lists, parse_method);
    if methods.is_empty() && errors.is_empty() {
        let finding =
            ("no integrator is named".to_owned(), known_names_text("", integrator_names()));
        errors.push(option_error(INTEGRATORS_OPTION, &lists.join(","), 0, "", finding));
    }
    (methods, errors)
}

/// Steps per second, from lists such as `30,120`; empty for the step of the scene.
///
/// # Errors
/// A diagnostic for everything that is not a positive integer, and for repetitions.
pub(crate) fn parse_steps(lists: &[String]) -> (Vec<u32>, Vec<Diagnostic>) {
    let error_of = |item: &str| {
        (
            format!("expected whole numbers of steps a second, found `{item}`"),
            "such as 30,120: steps of 1/30 s and of 1/120 s".to_owned(),
        )
    };
    let parse = |item: &str| item.parse().ok().filter(|&number| number > 0);
    parse_items(STEPS_OPTION, lists, |item| parse(item).ok_or_else(|| error_of(item)))
}

/// A message and its remedy.
type Finding = (String, String);

/// Parses every item of comma-separated lists. An item that cannot be parsed, or that equals an earlier one, gives a
/// diagnostic instead of a value.
fn parse_items<T: PartialEq>(
    option: &str,
    lists: &[String],
    parse: impl Fn(&str) -> Result<T, Finding>,
) -> (Vec<T>, Vec<Diagnostic>) {
    let (mut values, mut errors) = (Vec::new(), Vec::new());
    let items = lists.iter().flat_map(|list| split_items(list).map(move |item| (list, item)));
    for (list, (offset, item)) in items {
        let duplicate = || (format!("`{item}` is given twice"), "remove one of them".to_owned());
        match parse(item) {
            Ok(value) if values.contains(&value) => {
                errors.push(option_error(option, list, offset, item, duplicate()));
            }
            Ok(value) => values.push(value),
            Err(finding) => errors.push(option_error(option, list, offset, item, finding)),
        }
    }
    (values, errors)
}

/// The items of a comma-separated list with the byte offset of each; empty items are left out.
fn split_items(list: &str) -> impl Iterator<Item = (usize, &str)> {
    let items = list_items(list, ',').into_iter().filter(|item| !item.is_empty());
    items.map(|item| (item.as_ptr().addr() - list.as_ptr().addr(), item))
}

/// Parses an integrator: a name in any spelling, with or without parameters.
fn parse_method(item: &str) -> Result<Method, Finding> {
    let (name, fields) = item.split_at(item.find('(').unwrap_or(item.len()));
    let normalised = normalised_name(name);
    if normalised == SCENE_INTEGRATOR && fields.is_empty() {
        return Ok(Method::OfScene);
    }
    let names = integrator_names();
    let known_name = names.iter().find(|candidate| normalised_name(candidate) == normalised);
    let known_name = known_name.ok_or_else(|| {
        (format!("there is no integrator `{}`", name.trim()), known_names_text(&normalised, names))
    })?;
    if !fields.is_empty() {
        return Ok(Method::Ron(format!("{known_name}{fields}")));
    }
    // A variant with fields needs brackets even if all fields have defaults; only a parse shows whether it has fields.
    let parse_result = options().from_str::<Scheme>(known_name).map_err(|error| error.code);
    let brackets = if matches!(parse_result, Err(Error::ExpectedStructLike)) { "()" } else { "" };
    Ok(Method::Ron(format!("{known_name}{brackets}")))
}

/// Names of all integrators of the scene format.
pub(super) fn integrator_names() -> &'static [&'static str] {
    match options().from_str::<Scheme>(UNKNOWN_NAME).map_err(|error| error.code) {
        Err(Error::NoSuchEnumVariant { expected, .. }) => expected,
        _ => &[],
    }
}

/// A name in lower case without `-`, `_` and spaces.
fn normalised_name(name: &str) -> String {
    let letters = name.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
    letters.flat_map(char::to_lowercase).collect()
}

/// Help that lists all names, those similar to the unknown one first.
fn known_names_text(unknown: &str, names: &[&str]) -> String {
    let normalised: Vec<String> = names.iter().map(|name| normalised_name(name)).collect();
    let nearest_name = nearest(unknown, normalised.iter().map(String::as_str));
    // An incomplete name such as `euler` may match several.
    let is_suggested = |name: &str| match nearest_name {
        Some(nearest) => normalised_name(name) == nearest,
        None => unknown.chars().count() > 2 && normalised_name(name).contains(unknown),
    };
    let (suggested, others): (Vec<&str>, Vec<&str>) =
        names.iter().partition(|name| is_suggested(name));
    let quote = |names: &[&str]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>();
    let question = match quote(&suggested).as_slice() {
        [] => String::new(),
        names => format!("did you mean {}? ", names.join(" or ")),
    };
    let listed = quote(&[suggested, others].concat()).join(", ");
    format!("{question}known: {listed}, and `{SCENE_INTEGRATOR}` for the scene's own")
}

/// The error for the lists of integrators of a comparison whose scene has an `analysis` without them.
pub(crate) fn unused_integrators(lists: &[String], analysis: &str) -> Diagnostic {
    let list = lists.join(",");
    let message = format!("the integrator has no effect with `analysis: {analysis}` of the scene");
    let help = "`--set analysis=Dynamic` compares integrators, `-i scene` with several `--steps-per-second` numbers of steps";
    option_error(INTEGRATORS_OPTION, &list, 0, &list, (message, help.to_owned()))
}

/// An error about `item`, which begins at byte `offset` of `list`, the value of an option.
fn option_error(
    option: &str,
    list: &str,
    offset: usize,
    item: &str,
    (message, help): Finding,
) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        file: option.to_owned(),
        line: 1,
        column: 1 + list[..offset].chars().count(),
        width: item.chars().count().max(1),
        source: list.to_owned(),
        skipped: 0,
        path: String::new(),
        message,
        help,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chosen(list: &str) -> Vec<String> {
        let (methods, errors) = parse_methods(&[list.to_owned()]);
        assert!(errors.is_empty(), "{}", errors[0]);
        let text = |method| match method {
            Method::OfScene => SCENE_INTEGRATOR.to_owned(),
            Method::Ron(text) => text,
        };
        methods.into_iter().map(text).collect()
    }

    #[test]
    fn integrator_names_match_in_any_spelling() {
        let expected = ["ImplicitEuler", "Bdf2", "A1", "ASearch()", "scene"];
        assert_eq!(chosen("implicit-euler, BDF2,a-1 ,a_search,Scene"), expected);
        assert_eq!(chosen("ImplicitEuler,Bdf2,A1,ASearch(),scene"), expected);
    }

    #[test]
    fn commas_in_brackets_are_not_separators() {
        let list =
            "a-search(alpha_max: 2.0, decay: [(start: 0, tau: 1), (start: 1, tau: None)]),A1,";
        let whole = "ASearch(alpha_max: 2.0, decay: [(start: 0, tau: 1), (start: 1, tau: None)])";
        assert_eq!(chosen(list), [whole, "A1"]);
    }

    #[test]
    fn every_integrator_of_the_scene_format_is_offered() {
        for name in integrator_names() {
            let method = parse_method(name).expect("it is its own name");
            assert!(matches!(method, Method::Ron(text) if text.trim_end_matches("()") == *name));
        }
        assert!(integrator_names().contains(&"ASearch"), "{:?}", integrator_names());
    }

    #[test]
    fn every_error_is_found_at_its_position() {
        let (good, errors) = parse_methods(&["bfd2, A1".to_owned(), "euler,a1".to_owned()]);
        assert_eq!(good, [Method::Ron("A1".to_owned())]);
        let found: Vec<_> = errors.iter().map(|d| (d.column, d.message.as_str())).collect();
        let expected = [
            (1, "there is no integrator `bfd2`"),
            (1, "there is no integrator `euler`"),
            (7, "`a1` is given twice"),
        ];
        assert_eq!(found, expected);
        assert!(
            errors[0].help.starts_with("did you mean `Bdf2`? known: `Bdf2`, "),
            "{}",
            errors[0]
        );
        assert!(errors[1].help.contains("Euler`? "), "{}", errors[1]);
        let (good, errors) = parse_steps(&["30,0,x,30,120,-1,1.5".to_owned()]);
        assert_eq!(good, [30, 120]);
        assert_eq!(errors.iter().map(|d| d.column).collect::<Vec<_>>(), [4, 6, 8, 15, 18]);
        assert_eq!(parse_methods(&[String::new()]).1.len(), 1);
    }
}
