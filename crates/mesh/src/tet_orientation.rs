//! Reorients tetrahedra whose corners are listed in the opposite orientation, as distinct from tangled ones.

use crate::TetMesh;

/// Stands for the neighbour across a boundary face.
const NONE: u32 = u32::MAX;

/// For each face, the element on its other side, and whether both traverse the face with opposite orientations.
type Neighbours = [(u32, bool); 4];

impl TetMesh {
    /// Exchanges two corners of elements whose corners are listed in the opposite orientation; returns the
    /// number of such elements.
    ///
    /// Orientation follows from neighbours: elements that share a face lie on different sides of it if they
    /// traverse it with opposite orientations. Each face-connected component is oriented consistently from one
    /// element to the next, and then as a whole so that its volume is positive. The new orientation is kept if
    /// fewer elements of the component are then flat or inverted. Elements that remain inverted are tangled:
    /// they lie on the same side of a face as a neighbour, and no order of their corners repairs that. Costs
    /// one sort of all faces if any volume is negative.
    pub fn reorient(&mut self) -> usize {
        let volumes = self.volumes();
        if volumes.iter().all(|&volume| volume >= 0.0) {
            return 0;
        }
        let neighbours = self.neighbours();
        let mut flipped: Vec<Option<bool>> = vec![None; self.tets.len()];
        let mut count = 0;
        for seed in 0..self.tets.len() {
            if flipped[seed].is_some() {
                continue;
            }
            let component = orient_component(seed, &neighbours, &mut flipped);
            if !orient_positively(&component, &volumes, &mut flipped) {
                continue;
            }
            for tet in component.into_iter().filter(|&tet| flipped[tet] == Some(true)) {
                self.tets[tet].swap(2, 3);
                count += 1;
            }
        }
        count
    }

    /// For each element, its neighbours across faces with two elements.
    fn neighbours(&self) -> Vec<Neighbours> {
        let mut neighbours = vec![[(NONE, true); 4]; self.tets.len()];
        let faces = self.sorted_faces();
        for pair in faces.chunk_by(|a, b| a.corners == b.corners) {
            // A non-manifold face, with three or more elements, gives no orientation.
            if let &[first, second] = pair {
                let agree = first.even != second.even;
                for (element_face, opposite_face) in [(first, second), (second, first)] {
                    let [tet, face] =
                        [element_face.slot / 4, element_face.slot % 4].map(|k| k as usize);
                    neighbours[tet][face] = (opposite_face.slot / 4, agree);
                }
            }
        }
        neighbours
    }
}

/// Elements of the face-connected component of `seed`. Sets for each of them whether it must be flipped to agree with
/// `seed`.
fn orient_component(
    seed: usize,
    neighbours: &[Neighbours],
    flipped: &mut [Option<bool>],
) -> Vec<usize> {
    flipped[seed] = Some(false);
    let mut component = vec![seed];
    let mut next = 0;
    while let Some(&tet) = component.get(next) {
        next += 1;
        let is_flipped = flipped[tet] == Some(true);
        for &(neighbour, agree) in
            neighbours[tet].iter().filter(|(neighbour, _)| *neighbour != NONE)
        {
            let neighbour = neighbour as usize;
            if flipped[neighbour].is_none() {
                flipped[neighbour] = Some(is_flipped == agree);
                component.push(neighbour);
            }
        }
    }
    component
}

/// Inverts the flips of a component if its volume is negative; returns whether fewer of its elements are then flat or
/// inverted than in the file.
fn orient_positively(component: &[usize], volumes: &[f64], flipped: &mut [Option<bool>]) -> bool {
    let signed_volume = |tet: usize, flipped: &[Option<bool>]| match flipped[tet] {
        Some(true) => -volumes[tet],
        _ => volumes[tet],
    };
    if component.iter().map(|&tet| signed_volume(tet, flipped)).sum::<f64>() < 0.0 {
        component.iter().for_each(|&tet| flipped[tet] = flipped[tet].map(|is_flipped| !is_flipped));
    }
    let inverted_count = |volume: f64| usize::from(volume.is_nan() || volume <= 0.0);
    let bad_before: usize = component.iter().map(|&tet| inverted_count(volumes[tet])).sum();
    let bad_after: usize =
        component.iter().map(|&tet| inverted_count(signed_volume(tet, flipped))).sum();
    bad_after < bad_before
}
