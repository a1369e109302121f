//! Checks of relations between parts of a body.

use super::check_particles;
use super::converter::converter;
use super::formula::Variables;
use super::problem::Checker;
use super::quantity::{MAX_COPIES, Measure};
use super::{
    Deformation, Formula, Key, MotionDescription, Region, Repeat, Series, Shape, Vary,
    is_wireframe_file,
};
use resile_mesh::read::{Format, Holds};
use std::path::Path;

pub(super) fn shape(c: &mut Checker, path: &str, shape: &Shape) {
    match shape {
        Shape::Implicit { field, .. } => {
            let path = format!("{path}.field");
            if let Err(problem) = field.to_implicit().check()
                && !c.has_problem_at(&path)
            {
                c.error(&path, problem, "correct the description");
            }
        }
        Shape::Curve { points, closed } => curve(c, path, points, *closed),
        Shape::File(file) => {
            file_name(c, path, file);
        }
        Shape::Fill { file, .. } => {
            let path = format!("{path}.file");
            if file_name(c, &path, file) == Some(Holds::Solid) {
                let message = format!("\"{file}\" is a format of tetrahedra, not of surfaces");
                c.error(&path, message, format!("use it as it is: `shape: File(\"{file}\")`"));
            }
        }
        Shape::Particles { positions, masses } => {
            check_particles::particles(c, path, positions, masses);
        }
        Shape::Line { from, to, .. } => check_particles::line(c, path, [*from, *to]),
        // Further restrictions of shapes are reported when they are built.
        _ => {}
    }
}

/// Checks the points of a curve.
fn curve(c: &mut Checker, path: &str, points: &[[f64; 3]], closed: bool) {
    let path = format!("{path}.points");
    let min_points = if closed { 3 } else { 2 };
    if points.len() < min_points {
        let message =
            format!("the curve has {} of the {min_points} points that it needs", points.len());
        c.error(&path, message, "");
    }
    let next = points.iter().skip(1).chain(points.first().filter(|_| closed));
    let repeated = points.iter().zip(next).position(|(a, b)| a == b);
    if let Some(k) = repeated.filter(|_| points.len() >= min_points) {
        let message =
            format!("point {k} of the curve, counted from 0, and the one after it are one");
        c.error(&format!("{path}[{k}]"), message, "remove one of the two");
    }
}

/// Content of a mesh file, by its name.
pub(super) fn file_name(c: &mut Checker, path: &str, file: &str) -> Option<Holds> {
    if file.is_empty() {
        c.error(path, "the name of the mesh file is empty", "");
        return None;
    }
    let format = Format::of_name(file);
    if format.is_none() {
        let message = format!("the extension of \"{file}\" is not that of a supported mesh format");
        let known = || format!("known are {}", Format::EXTENSIONS);
        c.error(path, message, converter(Path::new(file)).map_or_else(known, str::to_owned));
    }
    format.map(Format::holds)
}

/// The name of a file with an obstacle, which may have segments and points.
pub(super) fn obstacle_file_name(c: &mut Checker, path: &str, file: &str) {
    if !is_wireframe_file(file) {
        file_name(c, path, file);
    }
}

pub(super) fn deformation(c: &mut Checker, path: &str, deformation: &Deformation) {
    if let Deformation::Bend { axis, about, .. } = deformation
        && axis == about
    {
        let message = format!("a shape cannot be bent along {axis:?} about the same axis");
        let help = "choose another axis; `Twist` turns about its own axis";
        c.error(&format!("{path}.about"), message, help);
    }
}

pub(super) fn region(c: &mut Checker, path: &str, region: &Region) {
    match *region {
        Region::All | Region::Boundary => {}
        Region::Nodes(ref nodes) => {
            if nodes.is_empty() {
                c.error(path, "the list of nodes is empty", "name at least one");
            }
        }
        Region::Group(ref name) => {
            if name.is_empty() {
                c.error(
                    path,
                    "the name of the group is empty",
                    "groups have the names of the mesh file",
                );
            }
        }
        Region::Painted { ref data, .. } => {
            if data.is_empty() {
                let help = "data have the names of the mesh file, such as \"red\"";
                c.error(&format!("{path}.data"), "the name of the data is empty", help);
            }
        }
        Region::Box { min, max } => {
            if let Some(k) = (0..3).find(|&k| min[k] > max[k]) {
                let axis = ["x", "y", "z"][k];
                let message =
                    format!("the box is empty: min.{axis} = {} > max.{axis} = {}", min[k], max[k]);
                c.error(path, message, "exchange the two");
            }
        }
        Region::Plane { .. } | Region::Sphere { .. } => {}
    }
}

/// A motion of nodes, which may depend on their places.
pub(super) fn motion_of_nodes(c: &mut Checker, path: &str, motion: &MotionDescription) {
    match motion {
        MotionDescription::Displacement(displacement) => {
            Formula::check_all(displacement, c, &format!("{path}[0]"), Variables::PlaceAndTime);
        }
        _ => self::motion(c, path, motion),
    }
}

/// A motion as a whole.
pub(super) fn motion(c: &mut Checker, path: &str, motion: &MotionDescription) {
    let (angular_velocity, pivot, start, end) = match motion {
        MotionDescription::Fixed => return,
        MotionDescription::Displacement(displacement) => {
            let path = format!("{path}[0]");
            return Formula::check_all(displacement, c, &path, Variables::Time);
        }
        MotionDescription::Follow(name) => {
            let message = "only what `hold` holds can follow an obstacle";
            let help = format!("springs follow it by `to: \"{name}\"` in place of `motion`");
            return c.error(path, message, help);
        }
        MotionDescription::Keys { keys, pivot, .. } => {
            return self::keys(c, path, keys, *pivot);
        }
        MotionDescription::Move { angular_velocity, pivot, start, end, .. } => {
            (*angular_velocity, *pivot, *start, *end)
        }
    };
    if pivot.is_none() && angular_velocity != [0.0; 3] {
        let path = format!("{path}.angular_velocity");
        c.error(&path, "a rotation needs its centre", "add `pivot: (x, y, z)`");
    }
    check_time_window(c, path, start, end);
}

/// Checks that an end time is after its start time.
pub(super) fn check_time_window(c: &mut Checker, path: &str, start: f64, end: Option<f64>) {
    if let Some(end) = end {
        let expected = format!("later than the start, {start} s");
        c.relation(&format!("{path}.end"), "end (s)", end, &expected, end > start);
    }
}

fn keys(c: &mut Checker, path: &str, keys: &[Key], pivot: Option<[f64; 3]>) {
    if keys.is_empty() {
        let help = "give poses such as `(time: 0), (time: 1, translate: (0, 0.1, 0))`";
        c.error(&format!("{path}.keys"), "there are no keys", help);
    }
    check_increasing(
        c,
        keys.iter().map(|key| key.time),
        |k| format!("{path}.keys[{k}].time"),
        "time (s)",
    );
    if pivot.is_none() && keys.iter().any(|key| key.rotate.is_some()) {
        c.error(path, "a rotation needs its centre", "add `pivot: (x, y, z)`");
    }
}

/// Checks that times increase.
pub(super) fn check_increasing(
    c: &mut Checker,
    times: impl IntoIterator<Item = f64>,
    path: impl Fn(usize) -> String,
    what: &str,
) {
    let mut last = f64::NEG_INFINITY;
    for (k, time) in times.into_iter().enumerate() {
        let expected = format!("later than the one before, {last} s");
        c.relation(&path(k), what, time, &expected, time > last);
        last = time;
    }
}

pub(super) fn repeat(c: &mut Checker, path: &str, repeat: &Repeat) {
    if let Repeat::Grid { .. } = repeat
        && repeat.count() > MAX_COPIES.into()
    {
        let message = format!("the grid has {} copies", repeat.count());
        c.error(&format!("{path}.counts"), message, format!("at most {MAX_COPIES}"));
    }
    for (k, vary) in repeat.vary().iter().enumerate() {
        self::vary(c, &format!("{path}.vary[{k}]"), vary, repeat.count());
    }
}

fn vary(c: &mut Checker, path: &str, vary: &Vary, count: u64) {
    // A tuple variant has no field name: its series has the index 0.
    let first_path = format!("{path}[0]");
    match vary {
        Vary::Friction(s) => {
            series(c, &first_path, "coefficient of friction", s, count, |v| v >= 0.0);
        }
        Vary::Young(s) => series(c, &first_path, "Young's modulus (Pa)", s, count, |v| v > 0.0),
        Vary::Density(s) => series(c, &first_path, "density (kg/m^3)", s, count, |v| v > 0.0),
        Vary::Rotate { degrees, .. } => {
            series(c, &format!("{path}.degrees"), "angle (degrees)", degrees, count, |_| true);
        }
        Vary::Translate { distance, .. } => {
            series(c, &format!("{path}.distance"), "distance (m)", distance, count, |_| true);
        }
        Vary::Velocity { speed, .. } => {
            series(c, &format!("{path}.speed"), "speed (m/s)", speed, count, |_| true);
        }
        Vary::AngularVelocity { rate, .. } => {
            series(c, &format!("{path}.rate"), "rate (rad/s)", rate, count, |_| true);
        }
    }
}

fn series(
    c: &mut Checker,
    path: &str,
    what: &'static str,
    series: &Series,
    count: u64,
    holds: impl Fn(f64) -> bool,
) {
    if let Series::List(values) = series
        && values.len() as u64 != count
    {
        let message = format!("{} values for {count} copies", values.len());
        c.error(path, message, "a list needs one value for each copy");
        return;
    }
    let values = (0..count.min(MAX_COPIES.into())).map(|i| (i, series.value(i, count)));
    if let Some((i, value)) = values.into_iter().find(|&(_, v)| !v.is_finite() || !holds(v)) {
        let measure = Measure::from_label(what).unwrap_or_default();
        let (what, value) = (measure.named(what, c.units), measure.written(value, 0, c.units));
        c.error(path, format!("{what} of copy {i} would be {value}"), "out of range");
    }
}
