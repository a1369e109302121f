//! Orders of convergence of linear and quadratic tetrahedra by manufactured solutions.
//!
//! A displacement u is chosen on the unit cube, and the body force under which it is an equilibrium follows from the
//! law: `b = -Div P(I + grad u)`. The cube is held on all sides at u, by a scene whose force and motions are
//! expressions. Finite elements of degree p have errors of order p + 1 in displacement and of order p in its gradient
//! (Strang & Fix 1973, *An analysis of the finite element method*, theorem 3.7).

use crate::drive::{StudyError, Watch, scene_error};
use crate::table::Table;
use crate::track::{build_scene, scene_with};
use libm::{cos, log2, sin};
use resile_energy::tetrahedron_rule;
use resile_mesh::generate::BoxGrid;
use resile_plot::{Axis, Curve, Graph, Marks};
use resile_system::{Mat3, Vec3};

/// Young's modulus (Pa) and Poisson's ratio.
const YOUNG: f64 = 1e6;
const POISSON: f64 = 0.3;
/// Amplitude of the displacement (m).
const AMPLITUDE: f64 = 0.05;
/// Tolerance of observed orders.
const ORDER_TOLERANCE: f64 = 0.2;

/// A manufactured solution.
#[derive(Debug, Clone, Copy)]
pub struct Solution {
    /// The law in tables.
    pub law: &'static str,
    /// The law in scenes.
    model: &'static str,
    /// The displacement (m).
    displacement: fn(Vec3) -> Vec3,
    /// Its gradient.
    gradient: fn(Vec3) -> Mat3,
    /// The displacement (m) and the body force (N/m^3) as expressions, with A, L and M in place of the amplitude and
    /// Lame's parameters.
    texts: [[&'static str; 3]; 2],
}

/// Linear elasticity: `b = -(L + M) grad div u - M laplace u`.
const LINEAR: Solution = Solution {
    law: "linear elasticity",
    model: "Linear",
    displacement: |x| {
        Vec3::new(
            sin(2.0 * x.x) * sin(2.0 * x.y),
            sin(2.0 * x.y) * sin(2.0 * x.z),
            sin(2.0 * x.z) * sin(2.0 * x.x),
        ) * AMPLITUDE
    },
    gradient: |x| {
        let products = |a: f64, b: f64| [cos(2.0 * a) * sin(2.0 * b), sin(2.0 * a) * cos(2.0 * b)];
        let [xx, xy] = products(x.x, x.y);
        let [yy, yz] = products(x.y, x.z);
        let [zz, zx] = products(x.z, x.x);
        let columns = [Vec3::new(xx, 0.0, zx), Vec3::new(xy, yy, 0.0), Vec3::new(0.0, yz, zz)];
        Mat3::from_cols(columns[0], columns[1], columns[2]) * (2.0 * AMPLITUDE)
    },
    texts: [
        ["A*sin(2*x)*sin(2*y)", "A*sin(2*y)*sin(2*z)", "A*sin(2*z)*sin(2*x)"],
        [
            "4*A*((L + 3*M)*sin(2*x)*sin(2*y) - (L + M)*cos(2*x)*cos(2*z))",
            "4*A*((L + 3*M)*sin(2*y)*sin(2*z) - (L + M)*cos(2*y)*cos(2*x))",
            "4*A*((L + 3*M)*sin(2*z)*sin(2*x) - (L + M)*cos(2*z)*cos(2*y))",
        ],
    ],
};

/// Neo-Hookean, `P = M F + (L ln J - M) F^-T`, for `u = (a(x) + g(y), b(y), c(z))` with a = b = c = A sin(2 .) and
/// g = A cos(2 y). With the stretches s = 1 + 2 A cos(2 .) and `q = L + M - L ln J`, Div P is
/// `(a'' (M + q/s_x^2) + M g'', b'' (M + q/s_y^2) - g' a'' q/(s_x^2 s_y), c'' (M + q/s_z^2))`.
const NEO_HOOKEAN: Solution = Solution {
    law: "neo-Hookean",
    model: "NeoHookean",
    displacement: |x| {
        Vec3::new(sin(2.0 * x.x) + cos(2.0 * x.y), sin(2.0 * x.y), sin(2.0 * x.z)) * AMPLITUDE
    },
    gradient: |x| {
        let columns = [
            Vec3::new(cos(2.0 * x.x), 0.0, 0.0),
            Vec3::new(-sin(2.0 * x.y), cos(2.0 * x.y), 0.0),
            Vec3::new(0.0, 0.0, cos(2.0 * x.z)),
        ];
        Mat3::from_cols(columns[0], columns[1], columns[2]) * (2.0 * AMPLITUDE)
    },
    texts: [
        ["A*(sin(2*x) + cos(2*y))", "A*sin(2*y)", "A*sin(2*z)"],
        [
            "4*A*(sin(2*x)*(M + Q/S(x)^2) + M*cos(2*y))",
            "4*A*(sin(2*y)*(M + Q/S(y)^2) + 2*A*sin(2*x)*sin(2*y)*Q/(S(x)^2*S(y)))",
            "4*A*sin(2*z)*(M + Q/S(z)^2)",
        ],
    ],
};

/// All solutions.
pub const SOLUTIONS: [Solution; 2] = [LINEAR, NEO_HOOKEAN];

impl Solution {
    /// Substitutes the abbreviations Q, S, A, L and M in an expression by their values; the result is an expression of
    /// a scene.
    fn expand_abbreviations(text: &str) -> String {
        let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
        let mu = YOUNG / (2.0 * (1.0 + POISSON));
        let substitutions = [
            ("Q", "(L + M - L*ln(S(x)*S(y)*S(z)))".to_owned()),
            ("S(x)", "(1 + 2*A*cos(2*x))".to_owned()),
            ("S(y)", "(1 + 2*A*cos(2*y))".to_owned()),
            ("S(z)", "(1 + 2*A*cos(2*z))".to_owned()),
            ("A", AMPLITUDE.to_string()),
            ("L", lambda.to_string()),
            ("M", mu.to_string()),
        ];
        substitutions.iter().fold(text.to_owned(), |text, (name, value)| text.replace(name, value))
    }

    /// Text of the scene of the cube with this number of cells along each edge and this kind of elements. All of its
    /// faces have the displacement of the solution, which grows linearly with time, and so does the body force.
    pub fn scene(&self, cells: usize, elements: &str) -> String {
        let [displacement, force] =
            self.texts.map(|components| components.map(Self::expand_abbreviations));
        let vector =
            |components: [String; 3]| components.map(|text| format!("\"{text}\"")).join(", ");
        let ramped_displacement = vector(displacement.map(|text| format!("t*{text}")));
        let hold = |(normal, point): (&str, &str)| {
            format!(
                "(region: Plane(point: ({point}), normal: ({normal})), motion: Displacement(({ramped_displacement})))"
            )
        };
        let faces = [
            ("-1, 0, 0", "0, 0, 0"),
            ("0, -1, 0", "0, 0, 0"),
            ("0, 0, -1", "0, 0, 0"),
            ("1, 0, 0", "1, 1, 1"),
            ("0, 1, 0", "1, 1, 1"),
            ("0, 0, 1", "1, 1, 1"),
        ];
        let holds = faces.map(hold).join(", ");
        format!(
            r#"(
                version: 2,
                materials: {{ "m": (density: 1000, model: {}(young: {YOUNG}, poisson: {POISSON})) }},
                bodies: [(
                    name: "cube",
                    shape: Box(size: (1, 1, 1), cells: ({cells}, {cells}, {cells})),
                    placement: (translate: (0.5, 0.5, 0.5)),
                    elements: {elements},
                    material: "m",
                    hold: [{holds}],
                    terms: [BodyForce(force: ({}), factor: Expression("t"))],
                )],
                gravity: (0, 0, 0),
                contact: Off,
                integrator: ImplicitEuler,
                analysis: Static,
                time: (step: 1, duration: 1),
                solver: (tolerance: 1e-8),
            )"#,
            self.model,
            vector(force)
        )
    }
}

/// The errors and the orders of convergence on one mesh.
#[derive(Debug, Clone, PartialEq)]
pub struct ManufacturedEntry {
    /// The law.
    pub law: &'static str,
    /// Degree of the elements.
    pub degree: u32,
    /// Cells along each edge of the cube, each of six tetrahedra.
    pub cells: usize,
    /// L2 norms of the error of the displacement and of the error of its gradient, relative to those of the solution.
    pub errors: [f64; 2],
    /// Observed orders of both between the previous mesh and this one.
    pub orders: Option<[f64; 2]>,
    /// Whether this mesh is the finest; coarser ones may not have reached the order.
    pub is_finest: bool,
}

impl ManufacturedEntry {
    /// Whether both orders of convergence are those of the degree.
    pub fn is_of_its_order(&self) -> Option<bool> {
        let expected = [self.degree + 1, self.degree].map(f64::from);
        let is_near = |(order, expected): (&f64, &f64)| (order - expected).abs() < ORDER_TOLERANCE;
        Some(self.orders?.iter().zip(&expected).all(is_near))
    }
}

/// Cells along each edge, for linear and for quadratic elements.
fn resolutions(quick: bool) -> [&'static [usize]; 2] {
    match quick {
        true => [&[4, 8], &[2, 4]],
        false => [&[2, 4, 8, 16], &[2, 4, 8]],
    }
}

/// Measures the errors of both solutions with both kinds of elements, on refined meshes.
///
/// # Errors
/// If a scene is refused or has no equilibrium.
pub fn measure(quick: bool, watch: Watch<'_>) -> Result<Vec<ManufacturedEntry>, StudyError> {
    let mut entries: Vec<ManufacturedEntry> = Vec::new();
    for solution in SOLUTIONS {
        for (degree, resolutions) in (1..).zip(resolutions(quick)) {
            let mut coarser: Option<(usize, [f64; 2])> = None;
            for &cells in resolutions {
                let errors = equilibrium_errors(&solution, degree, cells)?;
                let order = |(coarse_cells, coarse_errors): (usize, [f64; 2])| {
                    let log_refinement = log2(cells as f64 / coarse_cells as f64);
                    [0, 1].map(|k| log2(coarse_errors[k] / errors[k]) / log_refinement)
                };
                let orders = coarser.map(order);
                coarser = Some((cells, errors));
                entries.push(ManufacturedEntry {
                    law: solution.law,
                    degree,
                    cells,
                    errors,
                    orders,
                    is_finest: resolutions.last() == Some(&cells),
                });
            }
            watch(&format!("{}, degree {degree}", solution.law));
        }
    }
    Ok(entries)
}

/// The relative errors of displacement and gradient on one mesh, from the static equilibrium of the scene.
fn equilibrium_errors(
    solution: &Solution,
    degree: u32,
    cells: usize,
) -> Result<[f64; 2], StudyError> {
    let elements = if degree == 1 { "Linear" } else { "Quadratic" };
    let description = format!("{}, {elements} elements, {cells} cells", solution.law);
    let scene = scene_with(&description, &solution.scene(cells, elements), [])?;
    let mut world = build_scene(&scene, &description)?.world;
    let rest = world.state(0).positions.clone();
    world.load_step(1.0, 1.0).map_err(|failure| scene_error(&description, failure))?;
    let displacements = world.state(0).positions.iter().zip(&rest).map(|(x, rest)| *x - *rest);
    Ok(relative_errors(solution, degree, cells, &rest, &displacements.collect::<Vec<_>>()))
}

/// L2 norms of the errors of the displacement and of its gradient, relative to the norms of the solution. The elements
/// of a cube with this number of cells have the nodes `rest` (m) at rest and these `displacements` (m).
fn relative_errors(
    solution: &Solution,
    degree: u32,
    cells: usize,
    rest: &[Vec3],
    displacements: &[Vec3],
) -> [f64; 2] {
    let mesh = BoxGrid { cells: [cells; 3], size: Vec3::ONE }.build().expect("a box has cells");
    let elements: Vec<Vec<u32>> = match degree {
        1 => mesh.tets.iter().map(|tet| tet.to_vec()).collect(),
        _ => mesh.quadratic().elements.iter().map(|element| element.to_vec()).collect(),
    };
    let (mut errors, mut norms) = ([0.0; 2], [0.0; 2]);
    for nodes in &elements {
        let [a, b, c, d] = [0, 1, 2, 3].map(|k| rest[nodes[k] as usize]);
        let edges = Mat3::from_cols(b - a, c - a, d - a);
        let inverse_transpose = edges.inverse().transpose();
        let [g1, g2, g3] =
            [inverse_transpose.x_axis, inverse_transpose.y_axis, inverse_transpose.z_axis];
        let barycentric_gradients = [-(g1 + g2 + g3), g1, g2, g3];
        let volume = edges.determinant().abs() / 6.0;
        for (barycentric, weight) in tetrahedron_rule() {
            let point =
                a * barycentric[0] + b * barycentric[1] + c * barycentric[2] + d * barycentric[3];
            let shapes = shapes(degree, barycentric, barycentric_gradients);
            let node_displacements = nodes.iter().map(|node| displacements[*node as usize]);
            let (u, gradient) = interpolate(node_displacements.zip(shapes));
            let (exact, exact_gradient) =
                ((solution.displacement)(point), (solution.gradient)(point));
            let square = |m: Mat3| m.to_cols_array().iter().map(|entry| entry * entry).sum::<f64>();
            let volume_weight = weight * volume;
            errors[0] += volume_weight * (u - exact).length_squared();
            norms[0] += volume_weight * exact.length_squared();
            errors[1] += volume_weight * square(gradient - exact_gradient);
            norms[1] += volume_weight * square(exact_gradient);
        }
    }
    [0, 1].map(|k| (errors[k] / norms[k]).sqrt())
}

/// The displacement (m) and its gradient at a point, from the displacement of each node and the value and the gradient
/// (1/m) of its shape function.
fn interpolate(nodes: impl Iterator<Item = (Vec3, (f64, Vec3))>) -> (Vec3, Mat3) {
    let (mut displacement, mut gradient) = (Vec3::ZERO, Mat3::ZERO);
    for (node_displacement, (shape, shape_gradient)) in nodes {
        displacement += node_displacement * shape;
        let [x, y, z] = shape_gradient.to_array();
        gradient +=
            Mat3::from_cols(node_displacement * x, node_displacement * y, node_displacement * z);
    }
    (displacement, gradient)
}

/// The shape functions of an element and their gradients (1/m) at a point with these barycentric coordinates, whose
/// gradients are given. Corners come first, then mid-edge nodes.
fn shapes(degree: u32, barycentric: [f64; 4], gradients: [Vec3; 4]) -> Vec<(f64, Vec3)> {
    const EDGES: [[usize; 2]; 6] = [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]];
    if degree == 1 {
        return barycentric.into_iter().zip(gradients).collect();
    }
    let corner = |k: usize| {
        (barycentric[k] * (2.0 * barycentric[k] - 1.0), gradients[k] * (4.0 * barycentric[k] - 1.0))
    };
    let mid_edge = |[a, b]: [usize; 2]| {
        (
            4.0 * barycentric[a] * barycentric[b],
            (gradients[b] * barycentric[a] + gradients[a] * barycentric[b]) * 4.0,
        )
    };
    (0..4).map(corner).chain(EDGES.into_iter().map(mid_edge)).collect()
}

/// One row per mesh.
pub fn table(entries: &[ManufacturedEntry]) -> Table {
    let order = |e: &ManufacturedEntry, k: usize| e.orders.map(|orders| orders[k]);
    Table::with_rows("manufactured", entries)
        .column("law", |e| e.law)
        .column("elements", |e| if e.degree == 1 { "linear" } else { "quadratic" })
        .column("cells", |e| e.cells)
        .number("error of displacement", 4, |e| e.errors[0])
        .number("order", 3, |e| order(e, 0))
        .number("error of gradient", 4, |e| e.errors[1])
        .number("its order", 3, |e| order(e, 1))
        .column("as expected", |e| e.is_of_its_order().filter(|_| e.is_finest))
        .table()
}

/// Errors over the size of cells, a chart for each law.
pub fn charts(entries: &[ManufacturedEntry]) -> Vec<Graph> {
    let chart = |solution: &Solution| {
        let mut curves = Vec::new();
        for (degree, elements) in [(1, "linear"), (2, "quadratic")] {
            for (k, quantity) in ["displacement", "gradient"].into_iter().enumerate() {
                let curve_entries =
                    entries.iter().filter(|e| e.law == solution.law && e.degree == degree);
                let points = curve_entries.map(|e| (1.0 / e.cells as f64, e.errors[k])).collect();
                curves.push(Curve::new(format!("{quantity}, {elements}"), curves.len(), points));
            }
        }
        Graph {
            name: format!("manufactured-{}", solution.law.replace(' ', "-").to_lowercase()),
            x: Axis::logarithmic("size of cells over edge", [0.05, 0.6]),
            y: Axis::logarithmic("relative error", [1e-5, 1.0]),
            marks: Marks::Lines,
            curves,
        }
    };
    SOLUTIONS.iter().map(chart).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Central differences of the closed forms.
    #[test]
    fn gradients_are_those_of_the_displacements() {
        let (x, h) = (Vec3::new(0.3, 0.8, 0.45), 1e-6);
        for solution in SOLUTIONS {
            let gradient = (solution.gradient)(x);
            for (along, column) in
                [(Vec3::X, gradient.x_axis), (Vec3::Y, gradient.y_axis), (Vec3::Z, gradient.z_axis)]
            {
                let at = |h: f64| (solution.displacement)(x + along * h);
                assert!(((at(h) - at(-h)) / (2.0 * h) - column).length() < 1e-9);
            }
        }
    }

    /// The force is minus the divergence of the stress, by differences of the stress of the law.
    #[test]
    fn forces_are_those_of_the_laws() {
        use resile_expression::{Expression, Grammar};
        let lambda = YOUNG * POISSON / ((1.0 + POISSON) * (1.0 - 2.0 * POISSON));
        let mu = YOUNG / (2.0 * (1.0 + POISSON));
        let stress = |solution: &Solution, x: Vec3| {
            let h = (solution.gradient)(x);
            let f = h + Mat3::IDENTITY;
            match solution.model {
                "Linear" => {
                    let trace = h.x_axis.x + h.y_axis.y + h.z_axis.z;
                    (h + h.transpose()) * mu + Mat3::IDENTITY * (lambda * trace)
                }
                _ => f * mu + f.inverse().transpose() * (lambda * libm::log(f.determinant()) - mu),
            }
        };
        let (x, h) = (Vec3::new(0.3, 0.8, 0.45), 1e-5);
        for solution in SOLUTIONS {
            let slope = |along: Vec3| {
                (stress(&solution, x + along * h) - stress(&solution, x - along * h)) * (0.5 / h)
            };
            let divergence = slope(Vec3::X).x_axis + slope(Vec3::Y).y_axis + slope(Vec3::Z).z_axis;
            let force = solution.texts[1].map(|text| {
                let text = Solution::expand_abbreviations(text);
                Expression::parse(&text, Grammar::Scene).expect(&text).at(x.to_array(), 0.0)
            });
            let off = (Vec3::from_array(force) + divergence).length();
            assert!(off < 1e-6 * divergence.length(), "{}: {force:?}, {divergence}", solution.law);
        }
    }
}
