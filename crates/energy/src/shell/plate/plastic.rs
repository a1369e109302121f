//! Plastic bending of the triangles of a plate.
//!
//! The elastic curvature of a triangle is its curvature minus its plastic curvature, which is a history variable. Both
//! are expressed in the [`Modes`] of the triangle.

use super::stiffness::{EdgeMatrix, TriangleCompliance};
use super::unfolded::EdgeForm;
use super::yielding::{Modal, Modes, Returned, Strength};
use rayon::prelude::*;
use resile_math::Vec3;
use resile_math::small::SymmetricEigen;
use resile_system::NodalStress;
use std::array::from_fn;
use std::sync::Arc;

/// Number of history variables of a triangle: plastic curvature by modes ((N/m)^0.5), and equivalent plastic curvature
/// (1/m).
const VARIABLES: usize = 4;
/// Minimum number of triangles or edges per parallel task.
const MIN_PER_TASK: usize = 128;

/// The dependence of a triangle on the angle of an edge.
#[derive(Debug, Clone, Copy)]
struct ModalAngle {
    edge: u32,
    /// eta ((N/m)^0.5) per radian of the angle.
    eta: Modal,
}

/// A triangle that yields.
#[derive(Debug, Clone)]
struct YieldingTriangle {
    nodes: [u32; 3],
    /// Rest area (m^2).
    area: f64,
    /// Dependence of eta on the angles of edges, ascending by edge.
    angles: Arc<[ModalAngle]>,
    /// p of [`Modes`].
    yielding: Modal,
    /// Strength before any flow.
    virgin: Strength,
    /// Thickness (m).
    thickness: f64,
    /// Plastic part of eta ((N/m)^0.5).
    plastic: Modal,
    /// Equivalent plastic curvature (1/m).
    alpha: f64,
}

/// Geometry, stiffness and strength of a triangle.
pub(super) struct TriangleSection<'a> {
    pub(super) nodes: [u32; 3],
    /// Rest area (m^2).
    pub(super) area: f64,
    /// Curvature (1/m) per radian of the angle of each edge, ascending by edge.
    pub(super) curvature: &'a [EdgeForm],
    pub(super) modes: Modes,
    pub(super) strength: Strength,
    /// Thickness (m).
    pub(super) thickness: f64,
}

impl YieldingTriangle {
    /// A triangle without plastic curvature.
    fn new(section: &TriangleSection<'_>) -> Self {
        let TriangleSection { nodes, area, modes, strength, thickness, .. } = *section;
        let modal_angle = |&EdgeForm { edge, form }: &EdgeForm| {
            let eta = modes.moments.map(|m| m.dot(Vec3::from_array(form)));
            ModalAngle { edge, eta }
        };
        let angles = section.curvature.iter().map(modal_angle).collect();
        let (yielding, virgin) = (modes.yielding, strength);
        let (plastic, alpha) = ([0.0; 3], 0.0);
        Self { nodes, area, angles, yielding, virgin, thickness, plastic, alpha }
    }

    /// The current strength, after hardening by alpha.
    fn strength(&self) -> Strength {
        let Strength { moment, hardening } = self.virgin;
        Strength { moment: hardening.mul_add(self.alpha, moment), hardening }
    }

    /// The elastic trial eta ((N/m)^0.5) for these deviations of the angles of all edges from rest (rad).
    fn trial(&self, deviations: &[f64]) -> Modal {
        let mut eta = self.plastic.map(|p| -p);
        for angle in &*self.angles {
            let deviation = deviations[angle.edge as usize];
            (0..3).for_each(|i| eta[i] += angle.eta[i] * deviation);
        }
        eta
    }

    /// The return mapping for these deviations of angles from rest (rad).
    fn map_return(&self, deviations: &[f64]) -> Returned {
        Returned::new(self.trial(deviations), &self.yielding, self.strength())
    }
}

/// A contribution of a triangle to the matrix of edges: the index of the triangle and the positions of two of its
/// angles.
#[derive(Debug, Clone, Copy)]
struct Product {
    triangle: u32,
    angles: [u16; 2],
}

/// The history variables of a plate.
#[derive(Debug, Clone)]
pub(super) struct PlatePlasticity {
    triangles: Vec<YieldingTriangle>,
    topology: Arc<Topology>,
}

/// The incidences of triangles and edges.
#[derive(Debug)]
struct Topology {
    /// Index of the first entry of each edge in `edge_angles`, followed by the number of entries.
    starts: Vec<u32>,
    /// The dependences of triangles on angles, edge after edge.
    edge_angles: Vec<EdgeAngle>,
    /// Index of the first product of each entry of the matrix, followed by the number of products.
    product_starts: Vec<u32>,
    products: Vec<Product>,
    /// For each edge its two triangles, with their parts of the compliance over the squared length of the edge (1/(N m)).
    compliances: Vec<[TriangleCompliance; 2]>,
}

/// Dependence of a triangle on the angle of an edge.
#[derive(Debug, Clone, Copy)]
struct EdgeAngle {
    /// Index of the triangle.
    triangle: u32,
    /// Position of the edge among the angles of the triangle.
    position: u32,
}

impl Topology {
    /// The incidences of `triangles`, with the sparsity of `matrix`.
    fn new(
        triangles: &[YieldingTriangle],
        matrix: &EdgeMatrix,
        compliances: Vec<[TriangleCompliance; 2]>,
    ) -> Self {
        let mut by_edge: Vec<Vec<EdgeAngle>> = vec![Vec::new(); matrix.rows()];
        for (index, triangle) in (0..).zip(triangles) {
            for (position, angle) in (0..).zip(&*triangle.angles) {
                by_edge[angle.edge as usize].push(EdgeAngle { triangle: index, position });
            }
        }
        let (mut starts, mut edge_angles) = (vec![0], Vec::new());
        let (mut product_starts, mut products) = (vec![0], Vec::new());
        for (edge, angles_of_edge) in by_edge.iter().enumerate() {
            edge_angles.extend_from_slice(angles_of_edge);
            starts.push(edge_angles.len() as u32);
            for (column, _) in matrix.row(edge) {
                let product = |&EdgeAngle { triangle, position }: &EdgeAngle| {
                    let angles = &triangles[triangle as usize].angles;
                    let other = angles.binary_search_by_key(&column, |angle| angle.edge).ok()?;
                    Some(Product { triangle, angles: [position as u16, other as u16] })
                };
                products.extend(angles_of_edge.iter().filter_map(product));
                product_starts.push(products.len() as u32);
            }
        }
        Self { starts, edge_angles, product_starts, products, compliances }
    }
}

/// Stiffnesses at a state.
pub(super) struct Tangent {
    /// Entries of the matrix of edges (J).
    pub(super) values: Vec<f64>,
    /// A diagonal matrix (J); the difference of the matrix of edges and this one is positive semi-definite.
    pub(super) diagonal: Vec<f64>,
}

/// Derivative of mu with respect to eta in a triangle.
struct TriangleTangent {
    /// The derivative times the area (m^2).
    scaled: [Modal; 3],
    /// Smallest eigenvalue of the derivative, from 0 to 1.
    min_eigenvalue: f64,
}

impl PlatePlasticity {
    /// Triangles without plastic curvature. `matrix` has the sparsity of the edges, and `compliances` are those of each
    /// edge in its two triangles, over the square of its length (1/(N m)).
    pub(super) fn new(
        sections: &[TriangleSection<'_>],
        matrix: &EdgeMatrix,
        compliances: Vec<[TriangleCompliance; 2]>,
    ) -> Self {
        let triangles: Vec<YieldingTriangle> = sections.iter().map(YieldingTriangle::new).collect();
        let topology = Topology::new(&triangles, matrix, compliances);
        Self { triangles, topology: topology.into() }
    }

    /// Writes the derivative of the energy with respect to the angle of each edge (J) to `moments`, for these deviations
    /// of angles from rest (rad). Returns the energy (J).
    pub(super) fn moments(&self, deviations: &[f64], moments: &mut [f64]) -> f64 {
        let evaluate = |triangle: &YieldingTriangle| {
            let returned = triangle.map_return(deviations);
            let density = returned.density(triangle.strength());
            (returned.moments, triangle.area * density)
        };
        let (modal_moments, energies): (Vec<Modal>, Vec<f64>) =
            self.triangles.par_iter().with_min_len(MIN_PER_TASK).map(evaluate).unzip();
        let Topology { starts, edge_angles, .. } = &*self.topology;
        let moment_of_triangle = |&EdgeAngle { triangle: index, position }: &EdgeAngle| {
            let triangle = &self.triangles[index as usize];
            let ModalAngle { eta, .. } = triangle.angles[position as usize];
            triangle.area * dot(&eta, &modal_moments[index as usize])
        };
        let set_moment = |(edge, moment): (usize, &mut f64)| {
            let entries = &edge_angles[starts[edge] as usize..starts[edge + 1] as usize];
            *moment = entries.iter().map(moment_of_triangle).sum();
        };
        let edges = starts.len() - 1;
        moments[..edges].par_iter_mut().enumerate().with_min_len(MIN_PER_TASK).for_each(set_moment);
        energies.iter().sum()
    }

    /// The stiffnesses for these deviations of angles from rest (rad).
    pub(super) fn tangent(&self, deviations: &[f64]) -> Tangent {
        let evaluate = |triangle: &YieldingTriangle| {
            let returned = triangle.map_return(deviations);
            let tangent = returned.tangent(&triangle.yielding, triangle.strength());
            let smallest = SymmetricEigen::new(&tangent).values.into_iter().fold(1.0, f64::min);
            let scaled = tangent.map(|row| row.map(|c| triangle.area * c));
            TriangleTangent { scaled, min_eigenvalue: smallest.max(0.0) }
        };
        let tangents: Vec<TriangleTangent> =
            self.triangles.par_iter().with_min_len(MIN_PER_TASK).map(evaluate).collect();
        let Topology { product_starts, products, compliances, .. } = &*self.topology;
        let entry = |entry: usize| {
            let range = product_starts[entry] as usize..product_starts[entry + 1] as usize;
            let product = |&Product { triangle, angles }: &Product| {
                let modal_angles = &self.triangles[triangle as usize].angles;
                let [a, b] = angles.map(|position| modal_angles[usize::from(position)].eta);
                let tangent_b = tangents[triangle as usize].scaled.map(|row| dot(&row, &b));
                dot(&a, &tangent_b)
            };
            products[range].iter().map(product).sum()
        };
        let entries = product_starts.len() - 1;
        let values = (0..entries).into_par_iter().with_min_len(MIN_PER_TASK).map(entry).collect();
        let edge_stiffness = |parts: &[TriangleCompliance; 2]| {
            let tangent_compliance = |part: &TriangleCompliance| {
                part.compliance / tangents[part.triangle as usize].min_eigenvalue
            };
            1.0 / parts.iter().map(tangent_compliance).sum::<f64>()
        };
        Tangent { values, diagonal: compliances.iter().map(edge_stiffness).collect() }
    }

    /// Appends the history variables after the flow of all triangles for these deviations of angles from rest (rad).
    /// Returns the dissipated energy (J).
    pub(super) fn flow(&self, deviations: &[f64], variables: &mut Vec<f64>) -> f64 {
        let mut after = self.clone();
        let flow_triangle = |triangle: &mut YieldingTriangle| {
            let (trial, returned) = (triangle.trial(deviations), triangle.map_return(deviations));
            let work = triangle.area * returned.work(triangle.strength());
            if returned.slip > 0.0 {
                triangle.plastic =
                    from_fn(|i| triangle.plastic[i] + (trial[i] - returned.moments[i]));
                triangle.alpha += returned.slip;
            }
            work
        };
        let works: Vec<f64> =
            after.triangles.par_iter_mut().with_min_len(MIN_PER_TASK).map(flow_triangle).collect();
        after.add_variables(variables);
        works.iter().sum()
    }

    /// Number of history variables.
    pub(super) fn count(&self) -> usize {
        VARIABLES * self.triangles.len()
    }

    /// Whether these are as many history variables as those of the triangles, all finite and with equivalent plastic
    /// curvatures that are not negative, or none.
    pub(super) fn admits(&self, variables: &[f64]) -> bool {
        let is_admissible =
            |values: &[f64]| values.iter().all(|v| v.is_finite()) && values[VARIABLES - 1] >= 0.0;
        let is_complete = variables.len() == self.count() || variables.is_empty();
        is_complete && variables.chunks_exact(VARIABLES).all(is_admissible)
    }

    /// Appends the variables, triangle by triangle.
    fn add_variables(&self, out: &mut Vec<f64>) {
        for triangle in &self.triangles {
            out.extend(triangle.plastic);
            out.push(triangle.alpha);
        }
    }

    /// The same triangles with these history variables; an empty slice means virgin triangles.
    pub(super) fn with_variables(&self, variables: &[f64]) -> Self {
        let mut values_by_triangle = variables.chunks_exact(VARIABLES);
        let mut other = self.clone();
        for triangle in &mut other.triangles {
            let values = values_by_triangle.next().unwrap_or(&[0.0; VARIABLES]);
            (triangle.plastic, triangle.alpha) = (from_fn(|i| values[i]), values[VARIABLES - 1]);
        }
        other
    }

    /// Adds the equivalent plastic strain of the two surfaces of each triangle to its nodes.
    pub(super) fn add_strain(&self, out: &mut NodalStress) {
        for triangle in &self.triangles {
            let strain = 0.5 * triangle.thickness * triangle.alpha;
            for node in triangle.nodes {
                out.add_plastic_strain(node as usize, triangle.area * triangle.thickness, strain);
            }
        }
    }
}

/// The scalar product of two vectors of modes.
fn dot(a: &Modal, b: &Modal) -> f64 {
    a.iter().zip(b).map(|(a, b)| a * b).sum()
}
