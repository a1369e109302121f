//! Checks of relations between parts of a body.

use super::check_particles;
use super::converter::conversion_advice;
use super::formula::Variables;
use super::problem::Checker;
use super::quantity::{MAX_COPIES, Measure};
use super::{
    Deformation, Formula, Key, MotionDescription, Region, Repeat, Series, Shape, Vary,
    is_wireframe_file,
};
use resile_mesh::read::{Format, Holds};
use std::path::Path;

/// Checks what a shape needs beyond the ranges of its numbers. Other restrictions are found when the shape is built.
pub(super) fn check_shape(c: &mut Checker, path: &str, shape: &Shape) {
    match shape {
        Shape::Implicit { field, .. } => {
            let path = format!("{path}.field");
            if let Err(problem) = field.to_implicit().check()
                && !c.has_problem_at(&path)
            {
                c.error(&path, problem, "correct the description");
            }
        }
        Shape::Curve { points, closed } => check_curve(c, path, points, *closed),
        Shape::File(file) => {
            check_mesh_file_name(c, path, file);
        }
        Shape::Part { file, group, piece, .. } => {
            check_mesh_file_name(c, &format!("{path}.file"), file);
            let help = "`group: \"bolt\"` names a group, `piece: 0` the first connected piece";
            match (group, piece) {
                (None, None) => c.error(path, "the part has neither a group nor a piece", help),
                (Some(_), Some(_)) => c.error(path, "the part has both a group and a piece", help),
                _ => {}
            }
        }
        Shape::Fill { file, .. } => {
            let path = format!("{path}.file");
            if check_mesh_file_name(c, &path, file) == Some(Holds::Solid) {
                let message = format!("\"{file}\" is a format of tetrahedra, not of surfaces");
                c.error(&path, message, format!("use it as it is: `shape: File(\"{file}\")`"));
            }
        }
        Shape::Particles { positions, masses } => {
            check_particles::check_particles(c, path, positions, masses);
        }
        Shape::Line { from, to, .. } => check_particles::check_line(c, path, [*from, *to]),
        _ => {}
    }
}

/// Checks the number of points of a curve, and that no two neighbours are equal.
fn check_curve(c: &mut Checker, path: &str, points: &[[f64; 3]], closed: bool) {
    let path = format!("{path}.points");
    let min_points = if closed { 3 } else { 2 };
    if points.len() < min_points {
        let message =
            format!("the curve has {} of the {min_points} points that it needs", points.len());
        c.error(&path, message, "");
    }
    let successors = points.iter().skip(1).chain(points.first().filter(|_| closed));
    let equal_index = points.iter().zip(successors).position(|(a, b)| a == b);
    if let Some(k) = equal_index.filter(|_| points.len() >= min_points) {
        let message =
            format!("point {k} of the curve, counted from 0, and the one after it are one");
        c.error(&format!("{path}[{k}]"), message, "remove one of the two");
    }
}

/// Checks that a file name has the extension of a supported mesh format, and returns what files of that format contain.
pub(super) fn check_mesh_file_name(c: &mut Checker, path: &str, file: &str) -> Option<Holds> {
    if file.is_empty() {
        c.error(path, "the name of the mesh file is empty", "");
        return None;
    }
    let format = Format::of_name(file);
    if format.is_none() {
        let message = format!("the extension of \"{file}\" is not that of a supported mesh format");
        let known_formats = || format!("known are {}", Format::EXTENSIONS);
        c.error(
            path,
            message,
            conversion_advice(Path::new(file)).map_or_else(known_formats, str::to_owned),
        );
    }
    format.map(Format::holds)
}

/// Checks the file name of an obstacle, which may also contain segments and points.
pub(super) fn check_obstacle_file_name(c: &mut Checker, path: &str, file: &str) {
    if !is_wireframe_file(file) {
        check_mesh_file_name(c, path, file);
    }
}

/// Checks that a bend has two axes.
pub(super) fn check_deformation(c: &mut Checker, path: &str, deformation: &Deformation) {
    if let Deformation::Bend { axis, about, .. } = deformation
        && axis == about
    {
        let message = format!("a shape cannot be bent along {axis:?} about the same axis");
        let help = "choose another axis; `Twist` turns about its own axis";
        c.error(&format!("{path}.about"), message, help);
    }
}

/// Checks that a region is not empty by its definition.
pub(super) fn check_region(c: &mut Checker, path: &str, region: &Region) {
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

/// Checks a motion of nodes, whose displacement may depend on their positions.
pub(super) fn check_motion_of_nodes(c: &mut Checker, path: &str, motion: &MotionDescription) {
    match motion {
        MotionDescription::Displacement(displacement) => {
            Formula::check_all(displacement, c, &format!("{path}[0]"), Variables::PositionAndTime);
        }
        _ => check_motion(c, path, motion),
    }
}

/// Checks a motion of a whole body or obstacle, whose displacement depends on time alone.
pub(super) fn check_motion(c: &mut Checker, path: &str, motion: &MotionDescription) {
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
            return check_keys(c, path, keys, *pivot);
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
        c.check_relation(&format!("{path}.end"), "end (s)", end, &expected, end > start);
    }
}

/// Checks that there are keys, that their times increase, and that rotations have a pivot.
fn check_keys(c: &mut Checker, path: &str, keys: &[Key], pivot: Option<[f64; 3]>) {
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

/// Checks that times increase; `path` is the path of the time with an index.
pub(super) fn check_increasing(
    c: &mut Checker,
    times: impl IntoIterator<Item = f64>,
    path: impl Fn(usize) -> String,
    label: &str,
) {
    let mut previous = f64::NEG_INFINITY;
    for (k, time) in times.into_iter().enumerate() {
        let expected = format!("later than the one before, {previous} s");
        c.check_relation(&path(k), label, time, &expected, time > previous);
        previous = time;
    }
}

/// Checks the number of copies and the quantities that vary.
pub(super) fn check_repeat(c: &mut Checker, path: &str, repeat: &Repeat) {
    if let Repeat::Grid { .. } = repeat
        && repeat.count() > MAX_COPIES.into()
    {
        let message = format!("the grid has {} copies", repeat.count());
        c.error(&format!("{path}.counts"), message, format!("at most {MAX_COPIES}"));
    }
    for (k, vary) in repeat.vary().iter().enumerate() {
        check_vary(c, &format!("{path}.vary[{k}]"), vary, repeat.count());
    }
}

/// Checks the numbers by which a quantity of `count` copies varies.
fn check_vary(c: &mut Checker, path: &str, vary: &Vary, count: u64) {
    // The series of a tuple variant has no field name, but the index 0.
    let series_path = format!("{path}[0]");
    match vary {
        Vary::Friction(series) => {
            check_series(c, &series_path, "coefficient of friction", series, count, |v| v >= 0.0);
        }
        Vary::Young(series) => {
            check_series(c, &series_path, "Young's modulus (Pa)", series, count, |v| v > 0.0);
        }
        Vary::Density(series) => {
            check_series(c, &series_path, "density (kg/m^3)", series, count, |v| v > 0.0);
        }
        Vary::Rotate { degrees, .. } => {
            check_series(c, &format!("{path}.degrees"), "angle (degrees)", degrees, count, |_| {
                true
            });
        }
        Vary::Translate { distance, .. } => {
            check_series(c, &format!("{path}.distance"), "distance (m)", distance, count, |_| true);
        }
        Vary::Velocity { speed, .. } => {
            check_series(c, &format!("{path}.speed"), "speed (m/s)", speed, count, |_| true);
        }
        Vary::AngularVelocity { rate, .. } => {
            check_series(c, &format!("{path}.rate"), "rate (rad/s)", rate, count, |_| true);
        }
    }
}

/// Checks that a series has a finite value in range for each of `count` copies. `label` is the name of the quantity
/// with its unit.
fn check_series(
    c: &mut Checker,
    path: &str,
    label: &'static str,
    series: &Series,
    count: u64,
    is_in_range: impl Fn(f64) -> bool,
) {
    if let Series::List(values) = series
        && values.len() as u64 != count
    {
        let message = format!("{} values for {count} copies", values.len());
        c.error(path, message, "a list needs one value for each copy");
        return;
    }
    let values = (0..count.min(MAX_COPIES.into())).map(|i| (i, series.value(i, count)));
    if let Some((i, value)) = values.into_iter().find(|&(_, v)| !v.is_finite() || !is_in_range(v)) {
        let measure = Measure::from_label(label).unwrap_or_default();
        let (label, value) = (measure.named(label, c.units), measure.written(value, 0, c.units));
        c.error(path, format!("{label} of copy {i} would be {value}"), "out of range");
    }
}
