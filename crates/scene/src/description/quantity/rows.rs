//! One row for each numeric field.

use crate::description::range::{Bound, Range};
use resile_energy::Model;
use resile_integrators::Scheme;
use resile_math::parameters::NumberField;
use resile_mesher::stuffing::MIN_TETS;

/// Maximum number of cells along one edge.
const MAX_CELLS: u32 = 2000;
/// Maximum number of segments of a curve.
const MAX_SEGMENTS: u32 = 1_000_000;
/// Maximum number of particles of one body.
const MAX_PARTICLES: u32 = 1_000_000;
/// Maximum number of copies of one body.
pub(in crate::description) const MAX_COPIES: u32 = 100_000;
/// Maximum number of iterations of a solver.
const MAX_ITERATIONS: u32 = 1_000_000;

/// A struct or variant, its field, the label of the field with its unit, and the range.
pub(super) type Row = (&'static str, &'static str, &'static str, Range);

/// All rows of the table.
pub(super) fn rows() -> impl Iterator<Item = Row> {
    let groups: [Vec<Row>; 8] = [
        scene_rows(),
        body_rows(),
        material_rows(),
        shape_rows(),
        field_rows(),
        term_rows(),
        contact_rows(),
        integrator_rows(),
    ];
    groups.into_iter().flatten()
}

/// Exponents of the overstress; the same range as in the energy crate.
const RATE_EXPONENT: Range = Range::Between(Bound::At(1.0), Bound::At(1000.0));
/// A fraction below one.
const FRACTION: Range = Range::Between(Bound::Beyond(0.0), Bound::Beyond(1.0));

/// Coefficients of restitution: separation speed over approach speed.
const RESTITUTION: Range = Range::Between(Bound::At(0.0), Bound::At(1.0));
/// Numbers of cells along one edge.
const CELLS: Range = Range::Count(1, MAX_CELLS);

/// The rows of the scene, of wind, time, solver and output.
fn scene_rows() -> Vec<Row> {
    use Range::*;
    vec![
        ("Scene", "version", "version of the format", Unchecked),
        ("Scene", "gravity", "gravity (m/s^2)", Vector),
        ("GravityChange", "gravity", "gravity (m/s^2)", Vector),
        ("GravityChange", "start", "start (s)", Finite),
        ("Wind", "velocity", "velocity (m/s)", Vector),
        ("Wind", "density", "density (kg/m^3)", Positive),
        ("Wind", "drag", "coefficient of drag", NotNegative),
        ("Wind", "friction", "coefficient of friction", NotNegative),
        ("Initial::Run", "time", "time (s)", NotNegative),
        ("Analysis::ArcLength", "length", "arc length (m)", Positive),
        ("Time", "step", "time step (s)", Positive),
        ("Time", "duration", "duration (s)", Positive),
        ("Output", "frame_rate", "frame rate (1/s)", Positive),
        ("Output", "checkpoint_steps", "steps between checkpoints", Count(1, u32::MAX)),
        ("ProbePlace::Node", "node", "number of the vertex", Unchecked),
        ("ProbePlace::Point", "point", "point (m)", Vector),
        ("Solver", "tolerance", "tolerance (m/s)", Positive),
        ("Solver", "max_iterations", "number of iterations", Count(1, MAX_ITERATIONS)),
        ("Solver", "max_halvings", "number of halvings", Count(0, 30)),
        (
            "Solver",
            "dirichlet_tolerance",
            "tolerance of Dirichlet conditions",
            Between(Bound::At(0.0), Bound::Beyond(1.0)),
        ),
        ("Solver", "max_seconds_per_step", "time for a step (s)", Positive),
        (
            "SolverMethod::LocalGlobal",
            "iterations",
            "number of iterations",
            Count(1, MAX_ITERATIONS),
        ),
        (
            "LinearSolver::Iterative",
            "tolerance",
            "relative residual",
            Between(Bound::Beyond(0.0), Bound::Beyond(1.0)),
        ),
        ("FrictionSolver", "rounds", "number of rounds", Unchecked),
        ("Adaptive::Doubling", "error", "error (m/s)", Positive),
        ("Adaptive::Doubling", "shortest", "shortest step (s)", Positive),
        ("Adaptive::Embedded", "error", "error (m/s)", Positive),
        ("Adaptive::Embedded", "shortest", "shortest step (s)", Positive),
    ]
}

/// The rows of bodies, joints, seams, motions, regions and copies.
fn body_rows() -> Vec<Row> {
    use Range::*;
    vec![
        ("Body", "velocity", "velocity (m/s)", Vector),
        ("Body", "velocities", "velocity (m/s)", Vector),
        ("Body", "angular_velocity", "angular velocity (rad/s)", Vector),
        ("Body", "displacement", "displacement (m)", Vector),
        ("Body", "contact_thickness", "thickness for contact (m)", NotNegative),
        ("GroupThickness", "thickness", "thickness (m)", Positive),
        ("Layer", "thickness", "thickness (m)", Positive),
        ("Spin", "point", "point of the axis (m)", Vector),
        ("Spin", "axis", "axis of the spin", Direction),
        ("Spin", "rate", "rate of the spin (rad/s)", Finite),
        ("Placement", "scale", "scale", Factors),
        ("Placement", "translate", "translation (m)", Vector),
        ("Rotation", "axis", "axis of the rotation", Direction),
        ("Rotation", "degrees", "angle (degrees)", Finite),
        ("Deformation::Twist", "degrees", "angle (degrees)", Finite),
        ("Deformation::Bend", "degrees", "angle (degrees)", Finite),
        ("Deformation::Stretch", "factor", "factor", Positive),
        ("Deformation::Dilate", "factor", "factor", Positive),
        ("VelocityField::Ramp", "point", "point of the plane (m)", Vector),
        ("VelocityField::Ramp", "normal", "normal of the plane", Direction),
        ("VelocityField::Ramp", "velocity", "velocity by distance (1/s)", Vector),
        ("VelocityField::DrumMode", "diameters", "number of nodal diameters", Count(0, 20)),
        ("VelocityField::DrumMode", "circles", "number of nodal circles", Count(1, 20)),
        ("VelocityField::DrumMode", "amplitude", "amplitude (m/s)", Finite),
        ("VelocityField::DrumMode", "center", "centre (m)", Vector),
        ("VelocityField::DrumMode", "radius", "radius (m)", Positive),
        ("PaintedMap", "at_zero", "factor", Finite),
        ("PaintedMap", "at_one", "factor", Finite),
        ("Attachment", "stiffness", "stiffness (N/m)", Positive),
        ("Hold", "until", "end of the hold (s)", Positive),
        ("VelocityField::Expression", "0", "velocity (m/s)", Vector),
        ("Motion::Displacement", "0", "displacement (m)", Vector),
        ("Motion::Move", "velocity", "velocity (m/s)", Vector),
        ("Motion::Move", "angular_velocity", "angular velocity (rad/s)", Vector),
        ("Motion::Move", "pivot", "pivot (m)", Vector),
        ("Motion::Move", "start", "start (s)", Finite),
        ("Motion::Move", "end", "end (s)", Finite),
        ("Motion::Keys", "pivot", "pivot (m)", Vector),
        ("Key", "time", "time (s)", Finite),
        ("Key", "translate", "translation (m)", Vector),
        ("Joint::Ball", "at", "place of the joint (m)", Vector),
        ("Joint::Ball", "stiffness", "stiffness (N/m)", Positive),
        ("Joint::Hinge", "at", "place of the joint (m)", Vector),
        ("Joint::Hinge", "axis", "axis of the hinge (m)", Direction),
        ("Joint::Hinge", "stiffness", "stiffness (N/m)", Positive),
        ("Seam", "stiffness", "stiffness (N/m)", Positive),
        ("Seam", "closing_speed", "speed (m/s)", NotNegative),
        ("Seam", "start", "start (s)", Finite),
        ("Region::Nodes", "0", "number of a node", Unchecked),
        ("Region::Painted", "threshold", "threshold", Finite),
        ("Region::Box", "min", "smallest coordinate (m)", Vector),
        ("Region::Box", "max", "largest coordinate (m)", Vector),
        ("Region::Plane", "point", "point of the plane (m)", Vector),
        ("Region::Plane", "normal", "normal of the plane", Direction),
        ("Region::Sphere", "center", "centre (m)", Vector),
        ("Region::Sphere", "radius", "radius (m)", Positive),
        ("Repeat::Row", "count", "number of copies", Count(1, MAX_COPIES)),
        ("Repeat::Row", "step", "step (m)", Vector),
        ("Repeat::Grid", "counts", "number of copies", Count(1, MAX_COPIES)),
        ("Repeat::Grid", "spacing", "spacing (m)", Vector),
        ("Vary::Rotate", "axis", "axis of the rotation", Direction),
        ("Vary::Translate", "along", "direction", Direction),
        ("Vary::Velocity", "along", "direction", Direction),
        ("Vary::AngularVelocity", "axis", "axis", Direction),
        ("Vary::Friction", "0", "coefficient of friction", Unchecked),
        ("Vary::Young", "0", "Young's modulus (Pa)", Unchecked),
        ("Vary::Density", "0", "density (kg/m^3)", Unchecked),
        ("Vary::Rotate", "degrees", "angle (degrees)", Unchecked),
        ("Vary::Translate", "distance", "distance (m)", Unchecked),
        ("Vary::Velocity", "speed", "speed (m/s)", Unchecked),
        ("Vary::AngularVelocity", "rate", "rate (rad/s)", Unchecked),
        // A value in the range of the varied quantity.
        ("Series::List", "0", "number (of what varies)", Unchecked),
        ("Series::Linear", "from", "number (of what varies)", Unchecked),
        ("Series::Linear", "to", "number (of what varies)", Unchecked),
        ("Series::Power", "from", "number (of what varies)", Unchecked),
        ("Series::Power", "to", "number (of what varies)", Unchecked),
        ("Series::Power", "exponent", "exponent", Positive),
    ]
}

/// The rows of materials, damping and kinds of bodies.
fn material_rows() -> Vec<Row> {
    use Range::*;
    let mut rows = vec![
        ("Material", "density", "density (kg/m^3)", Positive),
        ("Plasticity::VonMises", "yield_stress", "yield stress (Pa)", Positive),
        ("Plasticity::VonMises", "hardening", "hardening modulus (Pa)", NotNegative),
        ("Plasticity::VonMises", "kinematic_hardening", "hardening modulus (Pa)", NotNegative),
        ("RateDependence", "reference", "rate of plastic strain (1/s)", Positive),
        ("RateDependence", "exponent", "exponent of the overstress", RATE_EXPONENT),
        ("PronyBranch", "modulus", "fraction of the modulus", FRACTION),
        ("PronyBranch", "time", "relaxation time (s)", Positive),
        ("Damping::Mass", "rate", "rate (1/s)", NotNegative),
        ("Damping::RigidPreserving", "rate", "rate (1/s)", NotNegative),
        ("Damping::Drag", "coefficient", "coefficient (kg/s)", NotNegative),
        ("Damping::Stiffness", "time", "time (s)", NotNegative),
        ("Kind::Shell", "thickness", "thickness (m)", Positive),
        ("Kind::Shell", "area_density", "mass per area (kg/m^2)", Positive),
        ("Bending::Young", "0", "Young's modulus (Pa)", Positive),
        ("Bending::Rigidity", "0", "flexural rigidity (N m)", Positive),
        ("Kind::Rod", "radius", "radius (m)", Positive),
        ("Kind::Rod", "turns", "number of turns", Finite),
        ("RestShape::Curved", "curvature", "curvature (1/m)", Finite),
        ("RestShape::Curved", "torsion", "torsion (1/m)", Finite),
        ("RestShape::Curved", "binormal", "axis of bending", Direction),
        ("Motor", "rate", "rate (1/s)", Finite),
        ("Motor", "start", "start (s)", Finite),
        ("Motor", "end", "end (s)", Finite),
        ("Kind::Springs", "area_density", "mass per area (kg/m^2)", Positive),
        ("Kind::Springs", "structural", "stiffness (N/m or N/m^3)", Positive),
        ("Kind::Springs", "shear", "stiffness (N/m or N/m^3)", NotNegative),
        ("Kind::Springs", "bending", "stiffness (N/m or N/m^3)", NotNegative),
    ];
    rows.extend(Model::NUMBERS.map(row));
    rows
}

/// The rows of shapes.
fn shape_rows() -> Vec<Row> {
    use Range::*;
    vec![
        ("Shape::Box", "size", "edge length (m)", Positive),
        ("Shape::Box", "cells", "number of cells", CELLS),
        ("Shape::Ball", "radius", "radius (m)", Positive),
        ("Shape::Ball", "layers", "number of cells", CELLS),
        ("Shape::Cylinder", "radius", "radius (m)", Positive),
        ("Shape::Cylinder", "height", "height (m)", Positive),
        ("Shape::Cylinder", "rings", "number of cells", CELLS),
        ("Shape::Cylinder", "layers", "number of cells", CELLS),
        ("Shape::Sheet", "size", "edge length (m)", Positive),
        ("Shape::Sheet", "cells", "number of cells", CELLS),
        ("Shape::Disc", "radius", "radius (m)", Positive),
        ("Shape::Disc", "rings", "number of cells", CELLS),
        ("Shape::Sphere", "radius", "radius (m)", Positive),
        ("Shape::Sphere", "subdivisions", "number of subdivisions", Count(0, 9)),
        ("Shape::Torus", "ring_radius", "radius (m)", Positive),
        ("Shape::Torus", "tube_radius", "radius (m)", Positive),
        ("Shape::Torus", "around_ring", "number of cells", Count(3, MAX_CELLS)),
        ("Shape::Torus", "around_tube", "number of cells", Count(3, MAX_CELLS)),
        ("Shape::Circle", "radius", "radius (m)", Positive),
        ("Shape::Circle", "segments", "number of pieces", Count(3, MAX_SEGMENTS)),
        ("Shape::Helix", "radius", "radius (m)", Positive),
        ("Shape::Helix", "pitch", "pitch (m)", NotZero),
        ("Shape::Helix", "turns", "number of turns", Positive),
        ("Shape::Helix", "segments", "number of pieces", Count(1, MAX_SEGMENTS)),
        ("Shape::Curve", "points", "point of the curve (m)", Vector),
        ("Shape::Link", "straight", "length (m)", Positive),
        ("Shape::Link", "end_radius", "radius (m)", Positive),
        ("Shape::Link", "tube_radius", "radius (m)", Positive),
        ("Shape::Link", "along_side", "number of edges", CELLS),
        ("Shape::Link", "along_end", "number of edges", Count(2, MAX_CELLS)),
        ("Shape::Link", "around_tube", "number of edges", Count(3, MAX_CELLS)),
        ("Shape::Gear", "teeth", "number of teeth", Count(3, MAX_CELLS)),
        ("Shape::Gear", "root_radius", "radius (m)", Positive),
        ("Shape::Gear", "tip_radius", "radius (m)", Positive),
        ("Shape::Gear", "bore_radius", "radius (m)", Positive),
        ("Shape::Gear", "thickness", "thickness (m)", Positive),
        ("Shape::Extrusion", "corners", "coordinate (m)", Finite),
        ("Shape::Extrusion", "depth", "depth (m)", Positive),
        ("Shape::Extrusion", "along", "number of edges", CELLS),
        ("Shape::Stairs", "steps", "number of steps", CELLS),
        ("Shape::Stairs", "run", "depth of a step (m)", Positive),
        ("Shape::Stairs", "rise", "height of a step (m)", Positive),
        ("Shape::Stairs", "width", "width (m)", Positive),
        (
            "Shape::Fill",
            "creases",
            "angle (degrees)",
            Between(Bound::Beyond(0.0), Bound::At(180.0)),
        ),
        ("Shape::Part", "piece", "number of the piece", Unchecked),
        ("Shape::Part", "gap", "gap (m)", NotNegative),
        ("Shape::Fill", "grade", "number of doublings", Unchecked),
        ("Shape::Implicit", "grade", "number of doublings", Unchecked),
        ("Resolution::Size", "0", "edge length (m)", Positive),
        ("Resolution::Tets", "0", "number of tetrahedra", Count(MIN_TETS as u32, u32::MAX)),
        ("Shape::Particles", "positions", "position (m)", Vector),
        ("Shape::Particles", "masses", "mass (kg)", Positive),
        ("Shape::Line", "from", "beginning of the line (m)", Vector),
        ("Shape::Line", "to", "end of the line (m)", Vector),
        ("Shape::Line", "nodes", "number of particles", Count(2, MAX_PARTICLES)),
        ("Shape::Line", "mass", "mass of the line (kg)", Positive),
    ]
}

/// Numbers of implicit shapes: type, field, quantity and range.
fn field_rows() -> Vec<Row> {
    use Range::*;
    vec![
        ("Field::Sphere", "center", "centre (m)", Vector),
        ("Field::Sphere", "radius", "radius (m)", Positive),
        ("Field::Ellipsoid", "center", "centre (m)", Vector),
        ("Field::Ellipsoid", "radii", "half axis (m)", Positive),
        ("Field::Capsule", "from", "centre (m)", Vector),
        ("Field::Capsule", "to", "centre (m)", Vector),
        ("Field::Capsule", "radii", "radius (m)", Positive),
        ("Field::Box", "center", "centre (m)", Vector),
        ("Field::Box", "half", "half edge (m)", Positive),
        ("Field::Box", "rounding", "radius (m)", NotNegative),
        ("Field::Cylinder", "from", "centre (m)", Vector),
        ("Field::Cylinder", "to", "centre (m)", Vector),
        ("Field::Cylinder", "radius", "radius (m)", Positive),
        ("Field::Torus", "center", "centre (m)", Vector),
        ("Field::Torus", "axis", "axis", Direction),
        ("Field::Torus", "ring_radius", "radius (m)", Positive),
        ("Field::Torus", "tube_radius", "radius (m)", Positive),
        ("Field::SmoothUnion", "radius", "radius (m)", Positive),
        ("Field::Moved", "translate", "translation (m)", Vector),
    ]
}

/// The rows of terms and time functions.
fn term_rows() -> Vec<Row> {
    use Range::*;
    let mut rows = vec![
        ("Term::Polynomial", "coefficients", "coefficient (J, J/m, ...)", Finite),
        ("Term::Cosine", "amplitude", "amplitude (J)", Finite),
        ("Term::PenaltyWall", "at", "place of the wall (m)", Finite),
        ("Term::PenaltyWall", "stiffness", "stiffness (N/m)", Positive),
        ("Term::BarrierWall", "at", "place of the wall (m)", Finite),
        ("Term::BarrierWall", "kappa", "kappa (J)", Positive),
        ("Term::BarrierWall", "d_hat", "d_hat (m)", Positive),
        ("Term::Central", "center", "centre (m)", Vector),
        ("Term::Central", "strength", "strength (m^3/s^2)", Finite),
        ("Term::Springs", "pairs", "number of a node", Unchecked),
        ("Term::Springs", "stiffness", "stiffness (N/m or N/m^3)", Positive),
        ("Term::Springs", "rest_length", "length at rest (m)", NotNegative),
        ("Term::Intervals", "modulus", "modulus (N)", Positive),
        ("Term::Repulsion", "stiffness", "stiffness (N/m)", Positive),
        ("Repeller::Plane", "point", "point of the plane (m)", Vector),
        ("Repeller::Plane", "normal", "normal of the plane", Direction),
        ("Repeller::Sphere", "center", "centre (m)", Vector),
        ("Repeller::Sphere", "radius", "radius (m)", Positive),
        ("Repeller::Hollow", "center", "centre (m)", Vector),
        ("Repeller::Hollow", "radius", "radius (m)", Positive),
        ("Term::Force", "force", "force (N)", Vector),
        ("Term::BodyForce", "force", "force per volume (N/m^3)", Vector),
        ("Term::Traction", "traction", "traction (Pa)", Vector),
        ("Term::SurfacePressure", "pressure", "pressure (Pa)", Finite),
        ("Term::Hydrostatic", "surface", "point of the surface (m)", Vector),
        ("Term::Hydrostatic", "density", "density (kg/m^3)", Positive),
        ("Term::Hydrostatic", "gravity", "gravity (m/s^2)", Direction),
        ("Term::Torque", "torque", "torque (N m)", Vector),
        ("Term::Pressure", "pressure", "pressure (Pa)", Finite),
        ("Term::Gas", "pressure", "pressure (Pa)", Positive),
        ("Term::Gas", "outside", "pressure outside (Pa)", NotNegative),
        ("Term::Gas", "exponent", "exponent", Positive),
        ("TimeFunction::Ramp", "start", "start (s)", Finite),
        ("TimeFunction::Ramp", "end", "end (s)", Finite),
        ("TimeFunction::Table", "points", "time and factor (s, -)", Unchecked),
        ("TimeFunction::Sine", "frequency", "frequency (Hz)", Finite),
        ("TimeFunction::Sine", "amplitude", "amplitude", Finite),
        ("TimeFunction::Sine", "phase", "phase (degrees)", Finite),
        ("TimeFunction::Sine", "offset", "mean", Finite),
    ];
    let loads = [
        "Term::Force",
        "Term::BodyForce",
        "Term::Traction",
        "Term::SurfacePressure",
        "Term::Hydrostatic",
        "Term::Torque",
        "Term::Pressure",
    ];
    for load in loads {
        rows.push((load, "start", "start (s)", Finite));
        rows.push((load, "end", "end (s)", Finite));
    }
    let by_nodes = [
        "Term::Polynomial",
        "Term::Cosine",
        "Term::PenaltyWall",
        "Term::BarrierWall",
        "Term::Central",
        "Term::Intervals",
        "Term::Repulsion",
    ];
    rows.extend(by_nodes.map(|term| (term, "nodes", "number of a node", Unchecked)));
    rows
}

/// The rows of contact, obstacles and surfaces.
fn contact_rows() -> Vec<Row> {
    use Range::*;
    let mut rows = vec![
        ("Contact::Barrier", "d_hat", "d_hat (m)", Positive),
        ("Contact::Barrier", "kappa", "kappa (Pa)", Positive),
        ("Contact::Barrier", "slip_speed", "slip speed (m/s)", Positive),
        ("Adhesion", "strength", "strength (Pa)", Positive),
        ("Adhesion", "peak", "gap of the largest traction (m)", Positive),
        ("Adhesion", "range", "range of adhesion (m)", Positive),
        ("TangentialAdhesion", "coefficient", "coefficient of tangential adhesion", NotNegative),
        ("TangentialAdhesion", "slip_speed", "slip speed (m/s)", Positive),
        ("Obstacle::Plane", "point", "point of the plane (m)", Vector),
        ("Obstacle::Plane", "normal", "normal of the plane", Direction),
        ("Obstacle::Animated", "frame_rate", "frame rate (1/s)", Positive),
        ("Obstacle::Animated", "start", "start (s)", Finite),
    ];
    let obstacles = ["Obstacle::Plane", "Obstacle::Mesh", "Obstacle::Shape", "Obstacle::Animated"];
    for surface in obstacles.into_iter().chain(["Body", "PairFriction"]) {
        rows.push((surface, "friction", "coefficient of friction", NotNegative));
        rows.push((surface, "static_friction", "coefficient of static friction", NotNegative));
        rows.push((surface, "restitution", "coefficient of restitution", RESTITUTION));
        rows.push((surface, "contact_damping", "time (s)", NotNegative));
        rows.push((
            surface,
            "rolling_friction",
            "coefficient of rolling friction (m)",
            NotNegative,
        ));
    }
    rows
}

/// The row of a number that another crate declares.
fn row(number: NumberField) -> Row {
    (number.owner, number.field, number.label, number.allowed.into())
}

/// The rows of integrators, which their crate declares.
fn integrator_rows() -> Vec<Row> {
    Scheme::NUMBERS.map(row).to_vec()
}
