//! Parser of IPC scripts: keywords, one per line, and shapes.
//!
//! Source of the format: the wiki of IPC, "Input script", and the keywords that its `Config` reads.

use super::script::{
    Dirichlet, HalfSpace, MeshObject, Neumann, Script, ScriptAnimation, Shape, TUNING_D_HAT,
    TUNING_EPS_V,
};
use crate::refusal::Findings;
use std::path::Path;

/// Keywords of rendering and of solvers that do not affect the scene.
const WITHOUT_EFFECT: [&str; 20] = [
    "view",
    "zoom",
    "cameraTracking",
    "playBackSpeed",
    "appendStr",
    "disableCout",
    "warmStart",
    "QPSolver",
    "constraintType",
    "noActiveSetConvergence",
    "useActiveSetConvergence",
    "exactCCD",
    "CCDMethod",
    "CCDTolerance",
    "ccdMethod",
    "ccdTolerance",
    "kappaMinMultiplier",
    "timeStepper",
    "resolution",
    "inexactSolve",
];

/// Reads the words of a line one after another.
struct Words<'a> {
    line: usize,
    words: std::vec::IntoIter<&'a str>,
}

impl<'a> Words<'a> {
    /// Splits a line with this number at white space.
    fn new(line: usize, text: &'a str) -> Self {
        let words: Vec<&str> = text.split_whitespace().collect();
        Self { line, words: words.into_iter() }
    }

    /// Reads a finite number.
    fn number(&mut self) -> Result<f64, String> {
        let word = self.words.next().ok_or_else(|| "a number is missing".to_owned())?;
        let value = word.parse::<f64>().ok().filter(|value| value.is_finite());
        value.ok_or_else(|| format!("`{word}` is no number"))
    }

    /// Reads `N` numbers.
    fn numbers<const N: usize>(&mut self) -> Result<[f64; N], String> {
        let mut numbers = [0.0; N];
        for number in &mut numbers {
            *number = self.number()?;
        }
        Ok(numbers)
    }

    /// Reads a word.
    fn word(&mut self) -> Result<&'a str, String> {
        self.words.next().ok_or_else(|| "a word is missing".to_owned())
    }

    /// Reads the next word if it is a number; otherwise returns `default` and leaves the word.
    fn number_or(&mut self, default: f64) -> f64 {
        match self.words.as_slice().first().and_then(|word| word.parse().ok()) {
            Some(number) => {
                self.words.next();
                number
            }
            None => default,
        }
    }
}

/// Lines of a text with their numbers (from 1), without comments and empty lines. A line that ends with a backslash is
/// joined with the next one.
fn lines(text: &str) -> Vec<(usize, String)> {
    let mut lines: Vec<(usize, String)> = Vec::new();
    let mut is_continued = false;
    for (line_number, line) in (1..).zip(text.lines()) {
        let line = line.trim();
        let (content, continues) =
            line.strip_suffix('\\').map_or((line, false), |content| (content, true));
        match lines.last_mut().filter(|_| is_continued) {
            Some((_, last)) => {
                last.push(' ');
                last.push_str(content);
            }
            None => lines.push((line_number, content.to_owned())),
        }
        is_continued = continues;
    }
    lines.retain(|(_, line)| !line.is_empty() && !line.starts_with('#'));
    lines
}

/// Parses a script. Refuses lines that cannot be parsed, and continues after them.
pub(super) fn parse(file: &Path, text: &str, findings: &mut Findings) -> Script {
    let mut script = Script::default();
    let lines = lines(text);
    let mut lines = lines.iter().map(|(line_number, line)| (*line_number, line.as_str()));
    while let Some((line_number, line)) = lines.next() {
        let mut words = Words::new(line_number, line);
        let Some(keyword) = words.words.next() else { continue };
        let result = match keyword {
            "shapes" => read_shapes(&mut words, &mut lines, &mut script, file, findings),
            "shapeMatrix" => read_shape_matrix(&mut words, &mut lines, &mut script),
            "tol" | "tuning" => {
                let values = read_list(&mut words, &mut lines);
                values.map(|values| match (keyword, values.first()) {
                    ("tuning", _) => script.tuning = values,
                    (_, Some(&first)) => script.tolerance = first,
                    _ => {}
                })
            }
            "section" => {
                skip_section(line, &mut lines);
                Ok(())
            }
            _ if WITHOUT_EFFECT.contains(&keyword) => Ok(()),
            _ => read_keyword(keyword, &mut words, &mut script),
        };
        if let Err(reason) = result {
            findings.refuse(file, line_number, format!("{keyword}: {reason}"));
        }
    }
    check_solver(file, &script, findings);
    script
}

/// Notes another contact solver than the barrier, which replaces it. Refuses an offset of contact with the barrier.
fn check_solver(file: &Path, script: &Script, findings: &mut Findings) {
    if let Some(solver) = &script.replaced_solver {
        findings.note(format!(
            "the barrier replaces `constraintSolver {solver}`, with the settings outside its sections and without its \
             `constraintOffset`"
        ));
    } else if let Some(line) = script.offset_line {
        findings.refuse(file, line, "constraintOffset: no scene has an offset of contact");
    }
}

/// Reads a count from `words` and as many numbers from the following lines.
fn read_list<'a>(
    words: &mut Words<'a>,
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
) -> Result<Vec<f64>, String> {
    let count = words.number()? as usize;
    let mut numbers = Vec::new();
    while numbers.len() < count {
        let (line, text) = lines.next().ok_or_else(|| format!("{count} numbers must follow"))?;
        let mut words = Words::new(line, text);
        while numbers.len() < count && !words.words.as_slice().is_empty() {
            numbers.push(words.number()?);
        }
    }
    Ok(numbers)
}

/// Skips a section up to its end, unless its first line names the interior point method or ends a section.
fn skip_section<'a>(first_line: &str, lines: &mut impl Iterator<Item = (usize, &'a str)>) {
    let mut names = first_line.split_whitespace().skip(1);
    if names.any(|name| ["interiorPoint", "IP", "end"].contains(&name)) {
        return;
    }
    for (_, line) in lines {
        if line.split_whitespace().eq(["section", "end"]) {
            return;
        }
    }
}

/// Parses a keyword whose values are on the same line.
fn read_keyword(keyword: &str, words: &mut Words<'_>, script: &mut Script) -> Result<(), String> {
    if read_model_keyword(keyword, words, script)? || read_contact_keyword(keyword, words, script)?
    {
        return Ok(());
    }
    Err(match keyword {
        "restart" => "states of other programs are not read".to_owned(),
        _ => "this keyword is not known".to_owned(),
    })
}

/// Parses a keyword of time, materials, shapes or animations. Returns `false` for other keywords.
fn read_model_keyword(
    keyword: &str,
    words: &mut Words<'_>,
    script: &mut Script,
) -> Result<bool, String> {
    match keyword {
        "energy" => script.corotated = is_second_of(words.word()?, "NH", "FCR")?,
        "timeIntegration" => {
            script.newmark = match is_second_of(words.word()?, "BE", "NM")? {
                true => Some([words.number_or(0.25), words.number_or(0.5)]),
                false => None,
            };
        }
        "size" => script.size = Some(words.number()?).filter(|size| *size > 0.0),
        "time" => [script.duration, script.step] = words.numbers()?,
        "density" => script.density = words.number()?,
        "stiffness" => [script.young, script.poisson] = words.numbers()?,
        "turnOffGravity" => script.gravity = false,
        "dampingStiff" => script.damping_stiffness = words.number()?.max(0.0),
        "dampingRatio" => script.damping_ratio = words.number()?.clamp(0.0, 1.0),
        "script" => {
            let name = words.word()?.to_owned();
            let parameters = words.words.by_ref().map(str::to_owned).collect();
            script.animation = ScriptAnimation { line: words.line, name, parameters };
        }
        "DBCTimeRange" => script.dirichlet_times = words.numbers()?,
        "NBCTimeRange" => script.neumann_times = words.numbers()?,
        "shape" => {
            words.word()?;
            let path = words.word()?.to_owned();
            let (line, scale) = (words.line, [1.0; 3]);
            script.shapes.push(Shape { line, path, scale, ..Shape::default() });
        }
        "rotateModel" => script.turn = Some((words.numbers()?, words.number()?)),
        "handleRatio" => script.handle_ratio = words.number()?,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Parses a keyword of obstacles, contact or friction. Returns `false` for other keywords.
fn read_contact_keyword(
    keyword: &str,
    words: &mut Words<'_>,
    script: &mut Script,
) -> Result<bool, String> {
    match keyword {
        "ground" => {
            let [friction, height] = words.numbers()?;
            let (origin, normal) = ([0.0, height, 0.0], [0.0, 1.0, 0.0]);
            script.half_spaces.push(HalfSpace { origin, normal, friction });
        }
        "halfSpace" => {
            let (origin, normal) = (words.numbers()?, words.numbers()?);
            let [_, friction] = words.numbers()?;
            script.half_spaces.push(HalfSpace { origin, normal, friction });
        }
        "meshCO" => script.objects.push(read_mesh_object(words)?),
        "selfCollisionOn" => script.self_collision = true,
        "selfCollisionOff" => script.self_collision = false,
        "selfFric" => script.self_friction = words.number()?.max(0.0),
        "constraintSolver" => {
            script.replaced_solver = match words.word()? {
                "interiorPoint" | "IP" => None,
                solver @ ("QP" | "SQP") => Some(solver.to_owned()),
                solver => return Err(format!("`{solver}` is none of interiorPoint, IP, QP, SQP")),
            }
        }
        "constraintOffset" => {
            script.offset_line = Some(words.line).filter(|_| words.number() != Ok(0.0));
        }
        "dHat" => set_tuning(script, TUNING_D_HAT, words.number()?),
        "epsv" => set_tuning(script, TUNING_EPS_V, words.number()?),
        "useAbsParameters" => script.absolute = true,
        "fricIterAmt" => script.friction_rounds = words.number()? as i64,
        _ => return Ok(false),
    }
    Ok(true)
}

/// Sets a value of `tuning` and the value after it.
fn set_tuning(script: &mut Script, index: usize, value: f64) {
    script.tuning.resize(script.tuning.len().max(index + 2), 0.0);
    script.tuning[index..index + 2].fill(value);
}

/// Whether a word is `second` rather than `first`.
///
/// # Errors
/// For any other word.
fn is_second_of(word: &str, first: &str, second: &str) -> Result<bool, String> {
    match word {
        _ if word == first => Ok(false),
        _ if word == second => Ok(true),
        _ => Err(format!("`{word}` is none of {first}, {second}")),
    }
}

/// Parses `meshCO`: path, position, scale, an unused stiffness, friction, and an optional rotation.
fn read_mesh_object(words: &mut Words<'_>) -> Result<MeshObject, String> {
    let (path, origin) = (words.word()?.to_owned(), words.numbers()?);
    let [size, _, friction] = words.numbers()?;
    let rotate = match words.words.next() {
        Some("rotate") => words.numbers()?,
        _ => [0.0; 3],
    };
    Ok(MeshObject { line: words.line, path, origin, size, friction, rotate })
}

/// Parses `shapes input N` and the shapes on the `N` following lines. Refuses shapes that cannot be parsed, and
/// continues after them.
fn read_shapes<'a>(
    words: &mut Words<'a>,
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    script: &mut Script,
    file: &Path,
    findings: &mut Findings,
) -> Result<(), String> {
    words.word()?;
    let count = words.number()? as usize;
    for _ in 0..count {
        let (line, text) = lines.next().ok_or_else(|| format!("{count} shapes must follow"))?;
        match read_shape(&mut Words::new(line, text)) {
            Ok(shape) => script.shapes.push(shape),
            Err(reason) => findings.refuse(file, line, format!("shape: {reason}")),
        }
    }
    Ok(())
}

/// Parses a shape: path, translation, rotation and scale; then in any order material, velocities, mesh sequence, and
/// boundary conditions `DBC` and `NBC`.
fn read_shape(words: &mut Words<'_>) -> Result<Shape, String> {
    let mut shape = Shape { line: words.line, path: words.word()?.to_owned(), ..Shape::default() };
    shape.translate = words.numbers()?;
    shape.rotate = words.numbers()?;
    shape.scale = words.numbers()?;
    while let Some(property) = words.words.next() {
        match property {
            "material" => shape.material = Some(words.numbers()?),
            "linearVelocity" => shape.velocity = Some(words.numbers()?),
            "angularVelocity" => shape.angular = Some(words.numbers()?),
            "initVel" => shape.initial = Some([words.numbers()?, words.numbers()?]),
            "meshSeq" => shape.sequence = Some(words.word()?.to_owned()),
            "DBC" => shape.dirichlet.push(Dirichlet {
                box_corners: [words.numbers()?, words.numbers()?],
                velocity: words.numbers()?,
                angular: words.numbers()?,
                times: [words.number_or(0.0), words.number_or(f64::INFINITY)],
            }),
            "NBC" => shape.neumann.push(Neumann {
                box_corners: [words.numbers()?, words.numbers()?],
                acceleration: words.numbers()?,
                times: [words.number_or(0.0), words.number_or(f64::INFINITY)],
            }),
            _ => return Err(format!("`{property}` is not known")),
        }
    }
    Ok(shape)
}

/// Parses `shapeMatrix input NX NY NZ X Y Z` and the shape on the next line, whose translation is the spacing of the
/// grid. Adds a copy of the shape for each of the `NX NY NZ` cells; the first is at `X Y Z`.
fn read_shape_matrix<'a>(
    words: &mut Words<'a>,
    lines: &mut impl Iterator<Item = (usize, &'a str)>,
    script: &mut Script,
) -> Result<(), String> {
    words.word()?;
    let counts: [f64; 3] = words.numbers()?;
    let corner = [words.number_or(0.0), words.number_or(0.0), words.number_or(0.0)];
    let (line, text) = lines.next().ok_or_else(|| "a shape must follow".to_owned())?;
    let shape = read_shape(&mut Words::new(line, text))?;
    let spacing = shape.translate;
    for x in 0..counts[0] as usize {
        for y in 0..counts[1] as usize {
            for z in 0..counts[2] as usize {
                let mut copy = shape.clone();
                let cell = [x, y, z];
                copy.translate =
                    [0, 1, 2].map(|axis| corner[axis] + spacing[axis] * cell[axis] as f64);
                script.shapes.push(copy);
            }
        }
    }
    Ok(())
}
