//! Plastic bending of the triangles of a plate.
//!
//! The elastic curvature of a triangle is its curvature minus its plastic curvature, which is a history variable. Both
//! are kept in the [`Modes`] of the triangle.

use super::stiffness::EdgeMatrix;
use super::yielding::{Modal, Modes, Returned, Strength};
use rayon::prelude::*;
use resile_math::Vec3;
use resile_math::small::SymmetricEigen;
use resile_system::NodalStress;
use std::array::from_fn;
use std::sync::Arc;

/// Number of history variables of a triangle: plastic curvature by modes, and equivalent plastic curvature (1/m).
const VARIABLES: usize = 4;
/// Minimum number of triangles or edges per parallel task.
const MIN_PER_TASK: usize = 128;

/// A triangle that yields.
#[derive(Debug, Clone)]
struct Yielding {
    nodes: [u32; 3],
    area: f64,
    /// Edges, and eta (N^0.5) per angle.
    angles: Arc<[(u32, Modal)]>,
    /// p of [`Modes`].
    yielding: Modal,
    /// Strength before any flow.
    virgin: Strength,
    thickness: f64,
    /// Plastic part of eta.
    plastic: Modal,
    /// Equivalent plastic curvature (1/m).
    alpha: f64,
}

/// Geometry, stiffness and strength of a triangle.
pub(super) struct TriangleSection<'a> {
    pub(super) nodes: [u32; 3],
    pub(super) area: f64,
    /// Edges, and curvature (1/m) per angle.
    pub(super) curvature: &'a [(u32, [f64; 3])],
    pub(super) modes: Modes,
    pub(super) strength: Strength,
    pub(super) thickness: f64,
}

impl Yielding {
    fn new(section: &TriangleSection<'_>) -> Self {
        let TriangleSection { nodes, area, modes, strength, thickness, .. } = *section;
        let modal = |form: [f64; 3]| modes.moments.map(|m| m.dot(Vec3::from_array(form)));
        let angles = section.curvature.iter().map(|&(edge, form)| (edge, modal(form))).collect();
        let (yielding, virgin) = (modes.yielding, strength);
        let (plastic, alpha) = ([0.0; 3], 0.0);
        Self { nodes, area, angles, yielding, virgin, thickness, plastic, alpha }
    }

    /// The strength after hardening by alpha.
    fn strength(&self) -> Strength {
        let Strength { moment, hardening } = self.virgin;
        Strength { moment: hardening.mul_add(self.alpha, moment), hardening }
    }

    /// The elastic trial eta for the changes of angles from rest.
    fn trial(&self, deviations: &[f64]) -> Modal {
        let mut eta = self.plastic.map(|p| -p);
        for (edge, weights) in &*self.angles {
            let deviation = deviations[*edge as usize];
            (0..3).for_each(|i| eta[i] += weights[i] * deviation);
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
    triangles: Vec<Yielding>,
    topology: Arc<Topology>,
}

/// The incidences of triangles and edges.
#[derive(Debug)]
struct Topology {
    /// Index of the first entry of each edge in `edge_angles`, followed by the number of entries.
    starts: Vec<u32>,
    /// The triangles that depend on the angle of an edge, with its position among their angles, edge after edge.
    edge_angles: Vec<(u32, u32)>,
    /// Index of the first product of each entry of the matrix, followed by the number of products.
    product_starts: Vec<u32>,
    products: Vec<Product>,
    /// For each edge its two triangles, with their parts of the compliance.
    compliances: Vec<[(u32, f64); 2]>,
}

/// Stiffnesses at a state: the entries of the matrix of edges, and a diagonal part that can be split off.
pub(super) struct Tangent {
    pub(super) values: Vec<f64>,
    pub(super) diagonal: Vec<f64>,
}

impl PlatePlasticity {
    /// Triangles without plastic curvature. `matrix` has the sparsity of the edges, and `compliances` are those of each
    /// edge in its two triangles, over the square of its length.
    pub(super) fn new(
        sections: &[TriangleSection<'_>],
        matrix: &EdgeMatrix,
        compliances: Vec<[(u32, f64); 2]>,
    ) -> Self {
        let triangles: Vec<Yielding> = sections.iter().map(Yielding::new).collect();
        let mut by_edge: Vec<Vec<(u32, u32)>> = vec![Vec::new(); matrix.rows()];
        for (triangle_index, triangle) in (0..).zip(&triangles) {
            for (position, (edge, _)) in (0..).zip(&*triangle.angles) {
                by_edge[*edge as usize].push((triangle_index, position));
            }
        }
        let (mut starts, mut edge_angles) = (vec![0], Vec::new());
        let (mut product_starts, mut products) = (vec![0], Vec::new());
        for (edge, angles_of_edge) in by_edge.iter().enumerate() {
            edge_angles.extend_from_slice(angles_of_edge);
            starts.push(edge_angles.len() as u32);
            for (column, _) in matrix.row(edge) {
                for &(triangle, position) in angles_of_edge {
                    let angles = &triangles[triangle as usize].angles;
                    if let Ok(other_position) =
                        angles.binary_search_by_key(&column, |(edge, _)| *edge)
                    {
                        products.push(Product {
                            triangle,
                            angles: [position as u16, other_position as u16],
                        });
                    }
                }
                product_starts.push(products.len() as u32);
            }
        }
        let topology = Topology { starts, edge_angles, product_starts, products, compliances };
        Self { triangles, topology: topology.into() }
    }

    /// The energy (J), and its derivative with respect to the angle of each edge (J), which fills `moments`.
    pub(super) fn moments(&self, deviations: &[f64], moments: &mut [f64]) -> f64 {
        let evaluate = |triangle: &Yielding| {
            let returned = triangle.map_return(deviations);
            let density = returned.density(triangle.strength());
            (returned.moments, triangle.area * density)
        };
        let states: Vec<(Modal, f64)> =
            self.triangles.par_iter().with_min_len(MIN_PER_TASK).map(evaluate).collect();
        let Topology { starts, edge_angles, .. } = &*self.topology;
        let set_moment = |(edge, moment): (usize, &mut f64)| {
            let entries = &edge_angles[starts[edge] as usize..starts[edge + 1] as usize];
            *moment = entries
                .iter()
                .map(|&(triangle_index, position)| {
                    let triangle = &self.triangles[triangle_index as usize];
                    let weights = triangle.angles[position as usize].1;
                    triangle.area * dot(&weights, &states[triangle_index as usize].0)
                })
                .sum();
        };
        let edges = starts.len() - 1;
        moments[..edges].par_iter_mut().enumerate().with_min_len(MIN_PER_TASK).for_each(set_moment);
        states.iter().map(|(_, energy)| energy).sum()
    }

    /// The stiffnesses for these changes of angles from rest.
    pub(super) fn tangent(&self, deviations: &[f64]) -> Tangent {
        let evaluate = |triangle: &Yielding| {
            let returned = triangle.map_return(deviations);
            let tangent = returned.tangent(&triangle.yielding, triangle.strength());
            let smallest = SymmetricEigen::new(&tangent).values.into_iter().fold(1.0, f64::min);
            (tangent.map(|row| row.map(|c| triangle.area * c)), smallest.max(0.0))
        };
        let tangents: Vec<([Modal; 3], f64)> =
            self.triangles.par_iter().with_min_len(MIN_PER_TASK).map(evaluate).collect();
        let Topology { product_starts, products, compliances, .. } = &*self.topology;
        let entry = |entry: usize| {
            let range = product_starts[entry] as usize..product_starts[entry + 1] as usize;
            let product = |&Product { triangle, angles }: &Product| {
                let weights = &self.triangles[triangle as usize].angles;
                let [a, b] = angles.map(|position| weights[usize::from(position)].1);
                let tangent_b = tangents[triangle as usize].0.map(|row| dot(&row, &b));
                dot(&a, &tangent_b)
            };
            products[range].iter().map(product).sum()
        };
        let entries = product_starts.len() - 1;
        let values = (0..entries).into_par_iter().with_min_len(MIN_PER_TASK).map(entry).collect();
        let edge_stiffness = |parts: &[(u32, f64); 2]| {
            let tangent_compliance =
                |&(triangle, compliance): &(u32, f64)| compliance / tangents[triangle as usize].1;
            1.0 / parts.iter().map(tangent_compliance).sum::<f64>()
        };
        Tangent { values, diagonal: compliances.iter().map(edge_stiffness).collect() }
    }

    /// Appends the variables after the flow of all triangles. Returns the dissipated energy (J).
    pub(super) fn flow(&self, deviations: &[f64], variables: &mut Vec<f64>) -> f64 {
        let mut after = self.clone();
        let flow_triangle = |triangle: &mut Yielding| {
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

    /// Whether the variables are finite and hardening is not negative, or there are none.
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
