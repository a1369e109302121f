//! Names of scenes, bodies and obstacles with everything in them: refused, or right in every table
//! and plot, and never a file outside of the folder of results.

use crate::place::{Place, complete};
use crate::random::Random;
use quick_xml::Reader;
use quick_xml::events::Event;

/// What names are made of.
const PIECES: [&str; 26] = [
    "a",
    "B",
    "0",
    " ",
    ",",
    "\"",
    "'",
    "<",
    ">",
    "&",
    "..",
    "/",
    "\\",
    ":",
    "\n",
    "\t",
    "\u{1}",
    "\u{1b}[31m",
    "\u{feff}",
    "\u{fffe}",
    "\u{202e}",
    "é",
    "e\u{301}",
    "字",
    "🎲",
    "CON",
];

pub(super) fn run(place: &Place<'_>, random: &mut Random) -> Result<(), String> {
    let (scene, body) = (name(random), name(random));
    let text = format!(
        "(version: 1, name: {}, bodies: [(name: {}, shape: Particles(positions: [(0, 0, 0), \
         (1, 0, 0)], masses: [1, 1]), velocity: (1, 0, 0), terms: [Springs(pairs: [(0, 1)], \
         stiffness: 1, law: Hooke)])], gravity: (0, 0, 0), integrator: ASearch(), \
         time: (step: 0.1, duration: 0.5), output: (tables: [Bodies]))",
        quoted(&scene),
        quoted(&body)
    );
    place.write("scene.ron", text);
    let before = entries(place);
    let ended = place.sim().run(&["run", "scene.ron"]);
    ended.must(&[0, 2])?;
    let shown = [&ended.stdout, &ended.stderr];
    if shown.iter().any(|text| text.contains(|c: char| c.is_control() && !"\n\t".contains(c))) {
        return Err(format!("control characters in what is shown of {scene:?} and {body:?}"));
    }
    let mut expected = before;
    expected.extend(["stderr-0", "stdout-0"].map(str::to_owned));
    if ended.code == Some(0) {
        expected.push("out".to_owned());
    }
    expected.sort();
    if entries(place) != expected {
        return Err(format!("{scene:?}: other files than {expected:?}: {:?}", entries(place)));
    }
    if ended.code == Some(2) {
        return Ok(());
    }
    let run = place.path("out").join(&scene);
    complete(&run)?;
    let table = std::fs::read_to_string(run.join("bodies.csv")).map_err(|e| e.to_string())?;
    for row in table.lines().skip(1) {
        if fields(row).get(2) != Some(&body) {
            return Err(format!("{body:?} is not the third field of {row}"));
        }
    }
    let plot = std::fs::read_to_string(run.join("energy.svg")).map_err(|e| e.to_string())?;
    well_formed(&plot).map_err(|error| format!("{scene:?}: energy.svg: {error}"))?;
    place.sim().run(&["run", "scene.ron", "--resume", "-q"]).must(&[0])
}

fn name(random: &mut Random) -> String {
    let letters = if random.once_in(10) { 300 } else { 1 + random.below(6) };
    (0..letters).map(|_| *random.pick(&PIECES)).collect()
}

/// As RON writes it.
fn quoted(text: &str) -> String {
    let escaped = text.chars().map(|c| match c {
        '"' | '\\' => format!("\\{c}"),
        c if c.is_control() => format!("\\u{{{:x}}}", c as u32),
        c => c.to_string(),
    });
    format!("\"{}\"", escaped.collect::<String>())
}

/// What is in the folder.
fn entries(place: &Place<'_>) -> Vec<String> {
    let entries = std::fs::read_dir(place.folder()).into_iter().flatten().flatten();
    let mut names: Vec<String> =
        entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect();
    names.sort();
    names
}

/// The fields of a row (RFC 4180).
fn fields(row: &str) -> Vec<String> {
    let (mut fields, mut quoted) = (vec![String::new()], false);
    let mut rest = row.chars().peekable();
    while let Some(c) = rest.next() {
        let last = fields.len() - 1;
        match c {
            '"' if quoted && rest.peek() == Some(&'"') => {
                rest.next();
                fields[last].push('"');
            }
            '"' => quoted = !quoted,
            ',' if !quoted => fields.push(String::new()),
            c => fields[last].push(c),
        }
    }
    fields
}

fn well_formed(xml: &str) -> Result<(), String> {
    let is_of_xml = |c: char| !c.is_control() && c != '\u{fffe}' && c != '\u{ffff}';
    if let Some(c) = xml.chars().find(|&c| !is_of_xml(c) && !"\t\n\r".contains(c)) {
        return Err(format!("{c:?}"));
    }
    let mut reader = Reader::from_str(xml);
    loop {
        match reader.read_event() {
            Ok(Event::Eof) => return Ok(()),
            Ok(_) => {}
            Err(error) => return Err(error.to_string()),
        }
    }
}
