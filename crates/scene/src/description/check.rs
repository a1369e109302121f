//! Numbers in range and names that exist: what types cannot say.

use super::problem::Checker;
use super::{
    Attachment, Body, Contact, Control, Deformation, Ground, Hold, Integrator, LinearSolver,
    MotionDescription, Obstacle, Placement, Problem, Region, Repeat, Scale, Scene, Series, Shape,
    StepSize, VERSION, Vary,
};

/// Cells along one edge; 2000 cubed would be 48 thousand million tetrahedra.
const MOST_CELLS: u32 = 2000;
/// Copies of one body.
const MOST_COPIES: u64 = 100_000;

impl Scene {
    /// Everything wrong with the numbers and references of the scene, warnings
    /// included, in the order of the file. Files named in it are not opened.
    pub fn check(&self) -> Vec<Problem> {
        let mut c = Checker::default();
        if self.version != VERSION {
            let message = format!("version {} of the format is not known", self.version);
            c.error("version", message, format!("this program reads version {VERSION}"));
        }
        self.materials(&mut c);
        self.bodies(&mut c);
        c.finite_vector("gravity", "gravity (m/s^2)", self.gravity);
        for (i, obstacle) in self.obstacles.iter().enumerate() {
            self.obstacle(&mut c, &format!("obstacles[{i}]"), obstacle);
        }
        self.names(&mut c);
        self.contact(&mut c);
        integrator(&mut c, &self.integrator);
        self.numerics(&mut c);
        if c.problems.is_empty() {
            self.plausible(&mut c);
        }
        c.problems
    }

    fn has_contact(&self) -> bool {
        self.contact != Contact::Off
    }

    fn materials(&self, c: &mut Checker) {
        for (name, material) in &self.materials {
            let path = format!("materials.{name}");
            c.positive(&format!("{path}.density"), "density (kg/m^3)", material.density);
            let model = material.model;
            c.positive(&format!("{path}.model.young"), "Young's modulus (Pa)", model.young());
            let path = format!("{path}.model.poisson");
            c.number(
                &path,
                "Poisson's ratio",
                model.poisson(),
                "between -1 and 0.5, both excluded",
                |v| v > -1.0 && v < 0.5,
            );
        }
    }

    fn bodies(&self, c: &mut Checker) {
        if self.bodies.is_empty() {
            c.error("bodies", "the scene has no bodies", "add at least one");
        }
        let materials: Vec<_> = self.materials.keys().cloned().collect();
        for (i, body) in self.bodies.iter().enumerate() {
            let path = format!("bodies[{i}]");
            c.known(&format!("{path}.material"), "material", &body.material, &materials);
            self.body(c, &path, body);
        }
    }

    fn body(&self, c: &mut Checker, path: &str, body: &Body) {
        shape(c, &format!("{path}.shape"), &body.shape);
        placement(c, &format!("{path}.placement"), &body.placement);
        c.finite_vector(&format!("{path}.velocity"), "velocity (m/s)", body.velocity);
        let angular = &format!("{path}.angular_velocity");
        c.finite_vector(angular, "angular velocity (rad/s)", body.angular_velocity);
        if let Some(spin) = body.spin {
            c.finite_vector(&format!("{path}.spin.point"), "point of the axis (m)", spin.point);
            c.direction(&format!("{path}.spin.axis"), "axis of the spin", spin.axis);
            c.finite(&format!("{path}.spin.rate"), "rate of the spin (rad/s)", spin.rate);
        }
        for (k, deformation) in body.deform.iter().enumerate() {
            self::deformation(c, &format!("{path}.deform[{k}]"), deformation);
        }
        for (k, Hold { region, motion }) in body.hold.iter().enumerate() {
            self::region(c, &format!("{path}.hold[{k}].region"), region);
            self::motion(c, &format!("{path}.hold[{k}].motion"), motion);
        }
        for (k, Attachment { region, stiffness, motion }) in body.attach.iter().enumerate() {
            let path = format!("{path}.attach[{k}]");
            self::region(c, &format!("{path}.region"), region);
            c.positive(&format!("{path}.stiffness"), "stiffness (N/m)", *stiffness);
            self::motion(c, &format!("{path}.motion"), motion);
        }
        let varied = body.repeat.as_ref().is_some_and(|repeat| {
            repeat.vary().iter().any(|vary| matches!(vary, Vary::Friction(_)))
        });
        if let Some(repeat) = &body.repeat {
            self::repeat(c, &format!("{path}.repeat"), repeat);
        }
        if !varied {
            self.friction(c, path, &body.name, body.friction);
        }
    }

    fn friction(&self, c: &mut Checker, path: &str, name: &str, friction: Option<f64>) {
        match friction {
            Some(mu) => {
                c.not_negative(&format!("{path}.friction"), "coefficient of friction", mu);
            }
            None if self.has_contact() => c.error(
                path,
                format!("\"{name}\" has no coefficient of friction, and contact is on"),
                "add `friction: 0.3`, or `friction: 0` for a smooth surface",
            ),
            None => {}
        }
    }

    fn obstacle(&self, c: &mut Checker, path: &str, obstacle: &Obstacle) {
        match obstacle {
            Obstacle::Plane { point, normal, .. } => {
                c.finite_vector(&format!("{path}.point"), "point of the plane (m)", *point);
                c.direction(&format!("{path}.normal"), "normal of the plane", *normal);
            }
            Obstacle::Mesh { file, placement, .. } => {
                file_name(c, &format!("{path}.file"), file);
                self::placement(c, &format!("{path}.placement"), placement);
            }
        }
        self.friction(c, path, obstacle.name(), obstacle.friction());
    }

    /// Names of bodies and obstacles: present, and not used twice.
    fn names(&self, c: &mut Checker) {
        let bodies = self.bodies.iter().map(|body| body.name.as_str()).enumerate();
        let obstacles = self.obstacles.iter().map(Obstacle::name).enumerate();
        let all: Vec<_> = bodies
            .map(|(i, name)| (format!("bodies[{i}]"), name))
            .chain(obstacles.map(|(i, name)| (format!("obstacles[{i}]"), name)))
            .collect();
        for (i, (path, name)) in all.iter().enumerate() {
            let path = format!("{path}.name");
            if name.is_empty() {
                c.error(&path, "the name is empty", "names appear in messages and in pairs");
            } else if name.contains(['[', ']']) {
                let help = "brackets number the copies of repeated bodies";
                c.error(&path, format!("the name \"{name}\" contains a bracket"), help);
            }
            if let Some((first, _)) = all[..i].iter().find(|(_, other)| other == name) {
                let message = format!("the name \"{name}\" is used twice, first in {first}");
                c.error(&path, message, "bodies and obstacles need names of their own");
            }
        }
    }

    /// Every name that a pair may use: bodies, their copies, obstacles.
    fn pair_names(&self) -> Vec<String> {
        let bodies = self.bodies.iter().flat_map(|body| {
            let copies = body.repeat.as_ref().map_or(0, Repeat::count).min(MOST_COPIES);
            let copies = (0..copies).map(|i| format!("{}[{i}]", body.name));
            std::iter::once(body.name.clone()).chain(copies)
        });
        bodies.chain(self.obstacles.iter().map(|o| o.name().to_owned())).collect()
    }

    fn contact(&self, c: &mut Checker) {
        let Contact::Barrier { d_hat, kappa, slip_speed, pairs, off, .. } = &self.contact else {
            return;
        };
        c.positive("contact.d_hat", "d_hat (m)", *d_hat);
        c.positive("contact.kappa", "kappa (Pa)", *kappa);
        c.positive("contact.slip_speed", "slip speed (m/s)", *slip_speed);
        if pairs.is_empty() && off.is_empty() {
            return;
        }
        let names = self.pair_names();
        for (i, pair) in pairs.iter().enumerate() {
            let path = format!("contact.pairs[{i}]");
            c.known(&format!("{path}.a"), "body or obstacle", &pair.a, &names);
            c.known(&format!("{path}.b"), "body or obstacle", &pair.b, &names);
            c.not_negative(&format!("{path}.friction"), "coefficient of friction", pair.friction);
        }
        for (i, (a, b)) in off.iter().enumerate() {
            c.known(&format!("contact.off[{i}][0]"), "body or obstacle", a, &names);
            c.known(&format!("contact.off[{i}][1]"), "body or obstacle", b, &names);
        }
    }

    fn numerics(&self, c: &mut Checker) {
        match self.time.step {
            StepSize::Fraction { numerator: 0, .. } => {
                c.error("time.step", "time step (s) must be positive, but is 0", "");
            }
            step => c.positive("time.step", "time step (s)", step.seconds()),
        }
        c.positive("time.duration", "duration (s)", self.time.duration);
        let solver = &self.solver;
        c.positive("solver.tolerance", "tolerance (m/s)", solver.tolerance);
        c.count("solver.max_iterations", "number of iterations", solver.max_iterations, 1_000_000);
        if let LinearSolver::Iterative { tolerance } = solver.linear {
            let path = "solver.linear.tolerance";
            c.number(path, "relative residual", tolerance, "between 0 and 1, both excluded", |v| {
                v > 0.0 && v < 1.0
            });
        }
        if solver.max_halvings > 30 {
            let found = solver.max_halvings;
            let message = format!("a step can be halved at most 30 times, but {found} are asked");
            c.error("solver.max_halvings", message, "6 make the step 64 times smaller");
        }
        c.positive("output.frame_rate", "frame rate (1/s)", self.output.frame_rate);
        let steps = self.output.checkpoint_steps;
        c.count("output.checkpoint_steps", "steps between checkpoints", steps, u32::MAX);
    }
}

fn shape(c: &mut Checker, path: &str, shape: &Shape) {
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
        Shape::File(file) => file_name(c, path, file),
    }
}

fn file_name(c: &mut Checker, path: &str, file: &str) {
    if file.is_empty() {
        c.error(path, "the name of the mesh file is empty", "");
    }
}

fn placement(c: &mut Checker, path: &str, placement: &Placement) {
    let Scale(factors) = placement.scale;
    if let Some(&factor) = factors.iter().find(|&&factor| factor <= 0.0 || !factor.is_finite()) {
        let path = format!("{path}.scale");
        c.number(&path, "scale", factor, "positive (a mirrored shape is inverted)", |_| false);
    }
    for (k, rotation) in placement.rotate.iter().enumerate() {
        let path = format!("{path}.rotate[{k}]");
        c.direction(&format!("{path}.axis"), "axis of the rotation", rotation.axis);
        c.finite(&format!("{path}.degrees"), "angle (degrees)", rotation.degrees);
    }
    c.finite_vector(&format!("{path}.translate"), "translation (m)", placement.translate);
}

fn deformation(c: &mut Checker, path: &str, deformation: &Deformation) {
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
        Deformation::Stretch { factor, .. } => {
            c.positive(&format!("{path}.factor"), "factor", factor);
        }
    }
}

fn region(c: &mut Checker, path: &str, region: &Region) {
    match *region {
        Region::All => {}
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

fn motion(c: &mut Checker, path: &str, motion: &MotionDescription) {
    let MotionDescription::Move { velocity, angular_velocity, pivot, start, end } = *motion else {
        return;
    };
    c.finite_vector(&format!("{path}.velocity"), "velocity (m/s)", velocity);
    let angular = format!("{path}.angular_velocity");
    c.finite_vector(&angular, "angular velocity (rad/s)", angular_velocity);
    c.finite(&format!("{path}.start"), "start (s)", start);
    match pivot {
        Some(pivot) => c.finite_vector(&format!("{path}.pivot"), "pivot (m)", pivot),
        None if angular_velocity != [0.0; 3] => {
            c.error(&angular, "a rotation needs its centre", "add `pivot: (x, y, z)`");
        }
        None => {}
    }
    if let Some(end) = end {
        let expected = format!("later than the start, {start} s");
        c.number(&format!("{path}.end"), "end (s)", end, &expected, |end| end > start);
    }
}

fn repeat(c: &mut Checker, path: &str, repeat: &Repeat) {
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

fn integrator(c: &mut Checker, integrator: &Integrator) {
    let Integrator::ASearch { alpha_min, alpha_max, target_scale, decay, ground, control, .. } =
        integrator
    else {
        return;
    };
    c.not_negative("integrator.alpha_min", "alpha_min", *alpha_min);
    let expected = format!("above alpha_min = {alpha_min}");
    c.number("integrator.alpha_max", "alpha_max", *alpha_max, &expected, |v| v > *alpha_min);
    c.not_negative("integrator.target_scale", "target_scale", *target_scale);
    for (i, phase) in decay.iter().enumerate() {
        let path = format!("integrator.decay[{i}]");
        c.not_negative(&format!("{path}.start"), "start of the phase (s)", phase.start);
        if let Some(tau) = phase.tau {
            c.positive(&format!("{path}.tau"), "time constant (s)", tau);
        }
        if i > 0 && phase.start <= decay[i - 1].start {
            let message = format!(
                "phase {i} starts at {} s, phase {} at {} s",
                phase.start,
                i - 1,
                decay[i - 1].start
            );
            c.error(&format!("{path}.start"), message, "phases go in the order of time");
        }
    }
    match ground {
        Some(Ground::Joules(joules)) => c.finite("integrator.ground", "energy (J)", *joules),
        Some(Ground::RestHeight(height)) => c.finite("integrator.ground", "height (m)", *height),
        None if !decay.is_empty() || *target_scale != 1.0 => c.error(
            "integrator",
            "the energy target decays or is scaled, but towards which energy is not said",
            "add `ground: RestHeight(0.05)` (height at which centres of mass come to rest, m) or `ground: Joules(0)`",
        ),
        None => {}
    }
    if let Control::Sparse { dead_band } = control {
        c.not_negative("integrator.control.dead_band", "dead band", *dead_band);
    }
}
