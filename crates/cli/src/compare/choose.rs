//! Parses integrators and steps of a comparison; reports all errors at once.

use resile_scene::description::{Scheme, Severity, nearest};
use resile_scene::text::{Diagnostic, options};
use ron::Error;

/// The option in error messages.
const INTEGRATORS_OPTION: &str = "--integrators";
const STEPS_OPTION: &str = "--steps-per-second";
/// The name of the integrator of the scene.
const SCENE_INTEGRATOR: &str = "scene";
/// A name without an integrator.
const NO_NAME: &str = "no_such_integrator";

/// A requested integrator.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) enum Method {
    /// The integrator of the scene, with its parameters.
    Own,
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
pub(crate) fn methods(lists: &[String]) -> (Vec<Method>, Vec<Diagnostic>) {
    let (methods, mut errors) = read_each(INTEGRATORS_OPTION, lists, method);
    if methods.is_empty() && errors.is_empty() {
        let finding = ("no integrator is named".to_owned(), known("", names()));
        errors.push(pointing(INTEGRATORS_OPTION, &lists.join(","), 0, "", finding));
    }
    (methods, errors)
}

/// Steps per second, from lists such as `30,120`; empty for the step of the scene.
///
/// # Errors
/// A diagnostic for everything that is not a positive integer, and for repetitions.
pub(crate) fn steps(lists: &[String]) -> (Vec<u32>, Vec<Diagnostic>) {
    let refusal = |piece: &str| {
        (
            format!("expected whole numbers of steps a second, found `{piece}`"),
            "such as 30,120: steps of 1/30 s and of 1/120 s".to_owned(),
        )
    };
    let number = |piece: &str| piece.parse().ok().filter(|&number| number > 0);
    read_each(STEPS_OPTION, lists, |piece| number(piece).ok_or_else(|| refusal(piece)))
}

/// A message and its remedy.
type Finding = (String, String);

/// Parses every item of lists.
fn read_each<T: PartialEq>(
    option: &str,
    lists: &[String],
    read: impl Fn(&str) -> Result<T, Finding>,
) -> (Vec<T>, Vec<Diagnostic>) {
    let (mut all, mut errors) = (Vec::new(), Vec::new());
    let pieces = lists.iter().flat_map(|list| pieces(list).into_iter().map(move |p| (list, p)));
    for (list, (at, piece)) in pieces {
        let duplicate = || (format!("`{piece}` is given twice"), "remove one of them".to_owned());
        let read =
            read(piece).and_then(|it| if all.contains(&it) { Err(duplicate()) } else { Ok(it) });
        match read {
            Ok(it) => all.push(it),
            Err(finding) => errors.push(pointing(option, list, at, piece, finding)),
        }
    }
    (all, errors)
}

/// The items between commas outside of brackets and quotes, with their offsets.
fn pieces(list: &str) -> Vec<(usize, &str)> {
    let (mut depth, mut quoted, mut begin) = (0usize, false, 0);
    let mut pieces = Vec::new();
    for (at, letter) in list.char_indices().chain([(list.len(), ',')]) {
        match letter {
            '"' => quoted = !quoted,
            '(' | '[' | '{' if !quoted => depth += 1,
            ')' | ']' | '}' if !quoted => depth = depth.saturating_sub(1),
            ',' if at == list.len() || (depth == 0 && !quoted) => {
                let piece = &list[begin..at];
                let space = piece.len() - piece.trim_start().len();
                pieces.push((begin + space, piece.trim()));
                begin = at + 1;
            }
            _ => {}
        }
    }
    pieces.retain(|(_, piece)| !piece.is_empty());
    pieces
}

/// Parses an integrator: a name in any spelling, with or without parameters.
fn method(piece: &str) -> Result<Method, Finding> {
    let (name, fields) = piece.split_at(piece.find('(').unwrap_or(piece.len()));
    let plain = normalise(name);
    if plain == SCENE_INTEGRATOR && fields.is_empty() {
        return Ok(Method::Own);
    }
    let names = names();
    let spelling = names.iter().find(|known| normalise(known) == plain);
    let spelling = spelling.ok_or_else(|| {
        (format!("there is no integrator `{}`", name.trim()), known(&plain, names))
    })?;
    if !fields.is_empty() {
        return Ok(Method::Ron(format!("{spelling}{fields}")));
    }
    // Only a parse shows whether all fields have defaults.
    let parsed = options().from_str::<Scheme>(spelling).map_err(|error| error.code);
    let brackets = if matches!(parsed, Err(Error::ExpectedStructLike)) { "()" } else { "" };
    Ok(Method::Ron(format!("{spelling}{brackets}")))
}

/// Names of all integrators of the scene format.
pub(super) fn names() -> &'static [&'static str] {
    match options().from_str::<Scheme>(NO_NAME).map_err(|error| error.code) {
        Err(Error::NoSuchEnumVariant { expected, .. }) => expected,
        _ => &[],
    }
}

/// A name without case and separators.
fn normalise(name: &str) -> String {
    let heard = name.chars().filter(|c| !matches!(c, '-' | '_' | ' '));
    heard.flat_map(char::to_lowercase).collect()
}

/// All names, similar ones first.
fn known(unknown: &str, names: &[&str]) -> String {
    let plain_names: Vec<String> = names.iter().map(|name| normalise(name)).collect();
    let nearest = nearest(unknown, plain_names.iter().map(String::as_str));
    // An incomplete name such as `euler` may match several.
    let meant = |name: &str| match nearest {
        Some(nearest) => normalise(name) == nearest,
        None => unknown.chars().count() > 2 && normalise(name).contains(unknown),
    };
    let (meant, others): (Vec<&str>, Vec<&str>) = names.iter().partition(|name| meant(name));
    let quoted = |names: &[&str]| names.iter().map(|n| format!("`{n}`")).collect::<Vec<_>>();
    let question = match quoted(&meant).as_slice() {
        [] => String::new(),
        names => format!("did you mean {}? ", names.join(" or ")),
    };
    let listed = quoted(&[meant, others].concat()).join(", ");
    format!("{question}known: {listed}, and `{SCENE_INTEGRATOR}` for the scene's own")
}

/// An error that points at `piece`, which is at the byte `at` of the value `list` of an option.
fn pointing(
    option: &str,
    list: &str,
    at: usize,
    piece: &str,
    (message, help): Finding,
) -> Diagnostic {
    Diagnostic {
        severity: Severity::Error,
        file: option.to_owned(),
        line: 1,
        column: 1 + list[..at].chars().count(),
        width: piece.chars().count().max(1),
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
        let (methods, errors) = methods(&[list.to_owned()]);
        assert!(errors.is_empty(), "{}", errors[0]);
        let text = |method| match method {
            Method::Own => SCENE_INTEGRATOR.to_owned(),
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
        for name in names() {
            let method = method(name).expect("it is its own name");
            assert!(matches!(method, Method::Ron(text) if text.trim_end_matches("()") == *name));
        }
        assert!(names().contains(&"ASearch"), "{:?}", names());
    }

    #[test]
    fn every_error_is_found_at_its_position() {
        let (good, errors) = methods(&["bfd2, A1".to_owned(), "euler,a1".to_owned()]);
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
        let (good, errors) = steps(&["30,0,x,30,120,-1,1.5".to_owned()]);
        assert_eq!(good, [30, 120]);
        assert_eq!(errors.iter().map(|d| d.column).collect::<Vec<_>>(), [4, 6, 8, 15, 18]);
        assert_eq!(methods(&[String::new()]).1.len(), 1);
    }
}
