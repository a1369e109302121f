//! Numbers in range for what makes up a body.

use super::check_particles;
use super::problem::Checker;
use super::{
    Deformation, Key, MotionDescription, Placement, Region, Repeat, Resolution, Rotation, Scale,
    Series, Shape, Vary,
};
use crate::mesh_file::converter;
use resile_mesh::read::{Format, Holds};
use resile_mesher::stuffing::FEWEST_TETS;
use std::path::Path;

/// Cells along one edge; 2000 cubed would be 48 thousand million tetrahedra.
const MOST_CELLS: u32 = 2000;
/// Straight pieces of a curve.
const MOST_PIECES: u32 = 1_000_000;
/// Copies of one body.
pub(super) const MOST_COPIES: u64 = 100_000;

pub(super) fn shape(c: &mut Checker, path: &str, shape: &Shape) {
    let cells = |c: &mut Checker, field: &str, cells: u32| {
        c.count(&format!("{path}.{field}"), "number of cells", cells, MOST_CELLS);
    };
    match shape {
        Shape::Box { size, cells: counts } => {
            for k in 0..3 {
                c.positive(&format!("{path}.size[{k}]"), "edge length (m)", size[k]);
                cells(c, &format!("cells[{k}]"), counts[k]);
            }
        }
        Shape::Ball { radius, layers } => {
            c.positive(&format!("{path}.radius"), "radius (m)", *radius);
            cells(c, "layers", *layers);
        }
        Shape::Cylinder { radius, height, rings, layers } => {
            c.positive(&format!("{path}.radius"), "radius (m)", *radius);
            c.positive(&format!("{path}.height"), "height (m)", *height);
            cells(c, "rings", *rings);
            cells(c, "layers", *layers);
        }
        Shape::Implicit { field, resolution, .. } => {
            self::resolution(c, path, *resolution);
            if let Err(problem) = field.to_implicit().check() {
                c.error(&format!("{path}.field"), problem, "mend the description");
            }
        }
        Shape::Sheet { size, cells: counts } => {
            for k in 0..2 {
                c.positive(&format!("{path}.size[{k}]"), "edge length (m)", size[k]);
                cells(c, &format!("cells[{k}]"), counts[k]);
            }
        }
        Shape::Disc { radius, rings } => {
            c.positive(&format!("{path}.radius"), "radius (m)", *radius);
            cells(c, "rings", *rings);
        }
        Shape::Sphere { radius, subdivisions } => {
            c.positive(&format!("{path}.radius"), "radius (m)", *radius);
            if *subdivisions > 9 {
                let message =
                    format!("{subdivisions} subdivisions make 20 * 4^{subdivisions} triangles");
                c.error(&format!("{path}.subdivisions"), message, "at most 9");
            }
        }
        Shape::Torus { ring_radius, tube_radius, around_ring, around_tube } => {
            c.positive(&format!("{path}.ring_radius"), "radius (m)", *ring_radius);
            c.positive(&format!("{path}.tube_radius"), "radius (m)", *tube_radius);
            cells(c, "around_ring", *around_ring);
            cells(c, "around_tube", *around_tube);
        }
        Shape::Circle { segments, .. } => pieces(c, &format!("{path}.segments"), *segments),
        Shape::Helix { segments, .. } => pieces(c, &format!("{path}.segments"), *segments),
        Shape::Curve { points, closed } => curve(c, path, points, *closed),
        // What their generators refuse is reported when they are built.
        Shape::Link { .. }
        | Shape::Gear { .. }
        | Shape::Extrusion { .. }
        | Shape::Stairs { .. } => {}
        Shape::File(file) => {
            file_name(c, path, file);
        }
        Shape::Fill { file, resolution, creases, .. } => {
            self::resolution(c, path, *resolution);
            let angle = |degrees: f64| 0.0 < degrees && degrees <= 180.0;
            let expected = "above 0 and at most 180, which keeps none";
            c.number(&format!("{path}.creases"), "angle (degrees)", *creases, expected, angle);
            let path = format!("{path}.file");
            if file_name(c, &path, file) == Some(Holds::Solid) {
                let message = format!("\"{file}\" is a format of tetrahedra, not of surfaces");
                c.error(&path, message, format!("use it as it is: `shape: File(\"{file}\")`"));
            }
        }
        Shape::Particles { positions, masses } => {
            check_particles::particles(c, path, positions, masses);
        }
        Shape::Line { from, to, nodes, mass } => {
            check_particles::line(c, path, [*from, *to], *nodes, *mass);
        }
    }
}

fn pieces(c: &mut Checker, path: &str, count: u32) {
    c.count(path, "number of pieces", count, MOST_PIECES);
}

/// Points that make a curve.
fn curve(c: &mut Checker, path: &str, points: &[[f64; 3]], closed: bool) {
    let path = format!("{path}.points");
    let least = if closed { 3 } else { 2 };
    if points.len() < least {
        let message = format!("the curve has {} of the {least} points that it needs", points.len());
        c.error(&path, message, "");
    }
    for (k, &point) in points.iter().enumerate() {
        c.finite_vector(&format!("{path}[{k}]"), "point of the curve (m)", point);
    }
    let after = points.iter().skip(1).chain(points.first().filter(|_| closed));
    let twice = points.iter().zip(after).position(|(a, b)| a == b);
    if let Some(k) = twice.filter(|_| points.len() >= least) {
        let message =
            format!("point {k} of the curve, counted from 0, and the one after it are one");
        c.error(&format!("{path}[{k}]"), message, "remove one of the two");
    }
}

fn resolution(c: &mut Checker, path: &str, resolution: Resolution) {
    let path = format!("{path}.resolution[0]");
    match resolution {
        Resolution::Size(size) => c.positive(&path, "edge length (m)", size),
        Resolution::Tets(tets) if (tets as usize) < FEWEST_TETS => {
            let message = format!("{tets} tetrahedra do not fill any shape");
            c.error(&path, message, format!("at least {FEWEST_TETS}"));
        }
        Resolution::Tets(_) => {}
    }
}

/// Says what a file of this name holds.
pub(super) fn file_name(c: &mut Checker, path: &str, file: &str) -> Option<Holds> {
    if file.is_empty() {
        c.error(path, "the name of the mesh file is empty", "");
        return None;
    }
    let format = Format::of_name(file);
    if format.is_none() {
        let message = format!("the ending of \"{file}\" says nothing about its format");
        let known = || format!("known are {}", Format::ENDINGS);
        c.error(path, message, converter(Path::new(file)).map_or_else(known, str::to_owned));
    }
    format.map(Format::holds)
}

pub(super) fn placement(c: &mut Checker, path: &str, placement: &Placement) {
    let Scale(factors) = placement.scale;
    if let Some(&factor) = factors.iter().find(|&&factor| factor <= 0.0 || !factor.is_finite()) {
        let path = format!("{path}.scale");
        c.number(&path, "scale", factor, "positive (a mirrored shape is inverted)", |_| false);
    }
    for (k, rotation) in placement.rotate.iter().enumerate() {
        self::rotation(c, &format!("{path}.rotate[{k}]"), rotation);
    }
    c.finite_vector(&format!("{path}.translate"), "translation (m)", placement.translate);
}

pub(super) fn deformation(c: &mut Checker, path: &str, deformation: &Deformation) {
    match *deformation {
        Deformation::Twist { degrees, .. } => {
            c.finite(&format!("{path}.degrees"), "angle (degrees)", degrees);
        }
        Deformation::Bend { axis, about, degrees } => {
            c.finite(&format!("{path}.degrees"), "angle (degrees)", degrees);
            if axis == about {
                let message = format!("a shape cannot be bent along {axis:?} about the same axis");
                c.error(
                    &format!("{path}.about"),
                    message,
                    "choose another axis; `Twist` turns about its own axis",
                );
            }
        }
        Deformation::Stretch { factor, .. } | Deformation::Dilate { factor } => {
            c.positive(&format!("{path}.factor"), "factor", factor);
        }
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
        Region::Painted { ref data, least } => {
            if data.is_empty() {
                let help = "data have the names of the mesh file, such as \"red\"";
                c.error(&format!("{path}.data"), "the name of the data is empty", help);
            }
            c.finite(&format!("{path}.least"), "least number", least);
        }
        Region::Box { min, max } => {
            c.finite_vector(&format!("{path}.min"), "smallest coordinate (m)", min);
            c.finite_vector(&format!("{path}.max"), "largest coordinate (m)", max);
            if let Some(k) = (0..3).find(|&k| min[k] > max[k]) {
                let axis = ["x", "y", "z"][k];
                let message =
                    format!("the box is empty: min.{axis} = {} > max.{axis} = {}", min[k], max[k]);
                c.error(path, message, "exchange the two");
            }
        }
        Region::Plane { point, normal } => {
            c.finite_vector(&format!("{path}.point"), "point of the plane (m)", point);
            c.direction(&format!("{path}.normal"), "normal of the plane", normal);
        }
        Region::Sphere { center, radius } => {
            c.finite_vector(&format!("{path}.center"), "centre (m)", center);
            c.positive(&format!("{path}.radius"), "radius (m)", radius);
        }
    }
}

pub(super) fn motion(c: &mut Checker, path: &str, motion: &MotionDescription) {
    let (velocity, angular_velocity, pivot, start, end) = match motion {
        MotionDescription::Fixed => return,
        MotionDescription::Follow(name) => {
            let message = "only what `hold` holds can follow an obstacle";
            let help = format!("springs follow it by `to: \"{name}\"` in place of `motion`");
            return c.error(path, message, help);
        }
        MotionDescription::Keys { keys, pivot, .. } => {
            return self::keys(c, path, keys, *pivot);
        }
        MotionDescription::Move { velocity, angular_velocity, pivot, start, end } => {
            (*velocity, *angular_velocity, *pivot, *start, *end)
        }
    };
    c.finite_vector(&format!("{path}.velocity"), "velocity (m/s)", velocity);
    let angular = format!("{path}.angular_velocity");
    c.finite_vector(&angular, "angular velocity (rad/s)", angular_velocity);
    match pivot {
        Some(pivot) => c.finite_vector(&format!("{path}.pivot"), "pivot (m)", pivot),
        None if angular_velocity != [0.0; 3] => {
            c.error(&angular, "a rotation needs its centre", "add `pivot: (x, y, z)`");
        }
        None => {}
    }
    window(c, path, start, end);
}

/// A span of time with a beginning and, if it has, a later end.
pub(super) fn window(c: &mut Checker, path: &str, start: f64, end: Option<f64>) {
    c.finite(&format!("{path}.start"), "start (s)", start);
    if let Some(end) = end {
        let expected = format!("later than the start, {start} s");
        c.number(&format!("{path}.end"), "end (s)", end, &expected, |end| end > start);
    }
}

fn keys(c: &mut Checker, path: &str, keys: &[Key], pivot: Option<[f64; 3]>) {
    if keys.is_empty() {
        let help = "give poses such as `(time: 0), (time: 1, translate: (0, 0.1, 0))`";
        c.error(&format!("{path}.keys"), "there are no keys", help);
    }
    let mut last = f64::NEG_INFINITY;
    for (k, key) in keys.iter().enumerate() {
        let path = format!("{path}.keys[{k}]");
        let expected = format!("later than the one before, {last} s");
        c.number(&format!("{path}.time"), "time (s)", key.time, &expected, |t| t > last);
        last = key.time;
        c.finite_vector(&format!("{path}.translate"), "translation (m)", key.translate);
        if let Some(turn) = &key.rotate {
            rotation(c, &format!("{path}.rotate"), turn);
        }
    }
    match pivot {
        Some(pivot) => c.finite_vector(&format!("{path}.pivot"), "pivot (m)", pivot),
        None if keys.iter().any(|key| key.rotate.is_some()) => {
            c.error(path, "a rotation needs its centre", "add `pivot: (x, y, z)`");
        }
        None => {}
    }
}

pub(super) fn repeat(c: &mut Checker, path: &str, repeat: &Repeat) {
    match repeat {
        Repeat::Row { count, step, .. } => {
            c.count(&format!("{path}.count"), "number of copies", *count, MOST_COPIES as u32);
            c.finite_vector(&format!("{path}.step"), "step (m)", *step);
        }
        Repeat::Grid { counts, spacing, .. } => {
            for (k, &count) in counts.iter().enumerate() {
                let path = format!("{path}.counts[{k}]");
                c.count(&path, "number of copies", count, MOST_COPIES as u32);
            }
            if repeat.count() > MOST_COPIES {
                let message = format!("the grid has {} copies", repeat.count());
                c.error(&format!("{path}.counts"), message, format!("at most {MOST_COPIES}"));
            }
            c.finite_vector(&format!("{path}.spacing"), "spacing (m)", *spacing);
        }
    }
    for (k, vary) in repeat.vary().iter().enumerate() {
        self::vary(c, &format!("{path}.vary[{k}]"), vary, repeat.count());
    }
}

fn vary(c: &mut Checker, path: &str, vary: &Vary, count: u64) {
    // A tuple variant has no field name of its own: the series is at its place 0.
    let own = format!("{path}[0]");
    match vary {
        Vary::Friction(s) => series(c, &own, "coefficient of friction", s, count, |v| v >= 0.0),
        Vary::Young(s) => series(c, &own, "Young's modulus (Pa)", s, count, |v| v > 0.0),
        Vary::Density(s) => series(c, &own, "density (kg/m^3)", s, count, |v| v > 0.0),
        Vary::Rotate { axis, degrees } => {
            c.direction(&format!("{path}.axis"), "axis of the rotation", *axis);
            series(c, &format!("{path}.degrees"), "angle (degrees)", degrees, count, |_| true);
        }
        Vary::Translate { along, distance } => {
            c.direction(&format!("{path}.along"), "direction", *along);
            series(c, &format!("{path}.distance"), "distance (m)", distance, count, |_| true);
        }
        Vary::Velocity { along, speed } => {
            c.direction(&format!("{path}.along"), "direction", *along);
            series(c, &format!("{path}.speed"), "speed (m/s)", speed, count, |_| true);
        }
        Vary::AngularVelocity { axis, rate } => {
            c.direction(&format!("{path}.axis"), "axis", *axis);
            series(c, &format!("{path}.rate"), "rate (rad/s)", rate, count, |_| true);
        }
    }
}

fn series(
    c: &mut Checker,
    path: &str,
    what: &str,
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
    if let Series::Power { exponent, .. } = series {
        c.positive(&format!("{path}.exponent"), "exponent", *exponent);
    }
    let values = (0..count.min(MOST_COPIES)).map(|i| (i, series.value(i, count)));
    if let Some((i, value)) = values.into_iter().find(|&(_, v)| !v.is_finite() || !holds(v)) {
        c.error(path, format!("{what} of copy {i} would be {value}"), "out of range");
    }
}

/// The axis and the angle of a rotation.
pub(super) fn rotation(c: &mut Checker, path: &str, rotation: &Rotation) {
    c.direction(&format!("{path}.axis"), "axis of the rotation", rotation.axis);
    c.finite(&format!("{path}.degrees"), "angle (degrees)", rotation.degrees);
}
