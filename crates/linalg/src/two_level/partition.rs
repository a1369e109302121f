//! Partition of a graph into parts of about equal size with few couplings between them.
//!
//! Recursive bisection: nodes are sorted by the difference of their graph distances to two opposite
//! ends of the graph. That cuts a bar across: 242 nodes of the twisted bar are on the cut, where a plane
//! would meet 231 and parts grown around a node 608. Bisection by positions would do as well, but
//! positions change, and a resumed run must cut where the original run did.
//!
//! Nodes of a later part with a neighbour in an earlier one belong to the separator (`row_partition`), not to
//! a thread's share. Each cut therefore balances the numbers of interior nodes, not of all nodes.

use super::graph::Graph;
use std::collections::VecDeque;

/// The part of each node: `parts` of them, numbered from zero. O(links) for each halving.
pub(super) fn partition(graph: &Graph, parts: usize) -> Vec<u32> {
    let mut bisection = Bisection {
        graph,
        part_of: vec![0; graph.nodes()],
        distance: vec![UNREACHED; graph.nodes()],
        on_cut: vec![false; graph.nodes()],
    };
    let mut nodes: Vec<u32> = (0..graph.nodes() as u32).collect();
    bisection.cut(&mut nodes, 0, parts);
    bisection.part_of
}

/// Distance of a node that is not reached.
const UNREACHED: i32 = i32::MAX;

/// State of the recursive bisection.
struct Bisection<'a> {
    graph: &'a Graph,
    part_of: Vec<u32>,
    distance: Vec<i32>,
    /// Nodes with a neighbour in an earlier part.
    on_cut: Vec<bool>,
}

impl Bisection<'_> {
    /// Cuts `nodes`, all of them in part `first`, into parts `first..first + parts`.
    fn cut(&mut self, nodes: &mut [u32], first: u32, parts: usize) {
        if parts == 1 || nodes.is_empty() {
            return;
        }
        let first_end = self.compute_distances(nodes, nodes[0], first);
        let other_end = self.compute_distances(nodes, first_end, first);
        let first_distances: Vec<i32> = nodes.iter().map(|&i| self.distance[i as usize]).collect();
        self.compute_distances(nodes, other_end, first);
        let mut keyed: Vec<(i32, i32, u32)> = nodes
            .iter()
            .zip(first_distances)
            .map(|(&i, first_distances)| {
                (first_distances - self.distance[i as usize], first_distances, i)
            })
            .collect();
        keyed.sort_unstable();
        nodes.iter_mut().zip(keyed).for_each(|(node, (_, _, i))| *node = i);
        let left_parts = parts / 2;
        let second = first + left_parts as u32;
        // Correct the cut for the separator nodes counted at the first attempt.
        let cut_nodes = self.split(nodes, 0, (left_parts, parts), [first, second]).1;
        let (split_index, _) = self.split(nodes, cut_nodes, (left_parts, parts), [first, second]);
        let (left, right) = nodes.split_at_mut(split_index);
        for &i in &*right {
            self.on_cut[i as usize] |= self.has_neighbour_in(i, first);
        }
        self.cut(left, first, left_parts);
        self.cut(right, second, parts - left_parts);
    }

    /// Assigns the first of `nodes` to one part and the others to the next such that `part_share / total_shares`
    /// of the interior nodes are in the first part, if `cut_nodes` nodes of the second part are on this cut. Returns
    /// where the second part begins and how many of its nodes are on the cut.
    fn split(
        &mut self,
        nodes: &[u32],
        cut_nodes: usize,
        (part_share, total_shares): (usize, usize),
        [first, second]: [u32; 2],
    ) -> (usize, usize) {
        let interior = nodes.iter().filter(|&&i| !self.on_cut[i as usize]).count();
        let target = interior.saturating_sub(cut_nodes) * part_share / total_shares;
        let (mut split_index, mut interior_count) = (0, 0);
        while interior_count < target {
            interior_count += usize::from(!self.on_cut[nodes[split_index] as usize]);
            split_index += 1;
        }
        nodes[..split_index].iter().for_each(|&i| self.part_of[i as usize] = first);
        nodes[split_index..].iter().for_each(|&i| self.part_of[i as usize] = second);
        let is_on_this_cut =
            |&&i: &&u32| !self.on_cut[i as usize] && self.has_neighbour_in(i, first);
        (split_index, nodes[split_index..].iter().filter(is_on_this_cut).count())
    }

    /// Whether a node has a neighbour in a part.
    fn has_neighbour_in(&self, node: u32, part: u32) -> bool {
        self.graph.neighbours(node).iter().any(|&j| self.part_of[j as usize] == part)
    }

    /// Breadth-first distances of `nodes` (one part) from `start`; returns the last node reached.
    /// Components that are not connected with `start` follow one after the other at greater distances.
    fn compute_distances(&mut self, nodes: &[u32], start: u32, part: u32) -> u32 {
        nodes.iter().for_each(|&i| self.distance[i as usize] = UNREACHED);
        let mut queue = VecDeque::new();
        let (mut last, mut offset) = (start, 0);
        for seed in std::iter::once(start).chain(nodes.iter().copied()) {
            if self.distance[seed as usize] != UNREACHED {
                continue;
            }
            self.distance[seed as usize] = offset;
            queue.push_back(seed);
            while let Some(node) = queue.pop_front() {
                last = node;
                offset = self.distance[node as usize] + 1;
                for &next in self.graph.neighbours(node) {
                    let next = next as usize;
                    if self.distance[next] == UNREACHED && self.part_of[next] == part {
                        self.distance[next] = offset;
                        queue.push_back(next as u32);
                    }
                }
            }
        }
        last
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_sparse::BlockPattern;

    /// A box of nodes with all couplings of its cells, as the mesh of a solid has.
    fn solid(n: [i32; 3], parts: usize) -> (Graph, Vec<u32>) {
        let id = |[x, y, z]: [i32; 3]| ((x * n[1] + y) * n[2] + z) as u32;
        let rows = n.iter().product::<i32>();
        let mut pairs = Vec::new();
        for i in 0..rows {
            let at = [i / n[2] / n[1], i / n[2] % n[1], i % n[2]];
            for d in 0..8 {
                let to = [at[0] + d / 4, at[1] + d / 2 % 2, at[2] + d % 2];
                if (0..3).all(|k| to[k] < n[k]) {
                    pairs.push((id(at), id(to)));
                }
            }
        }
        let graph = Graph::new(&BlockPattern::new(rows as usize, pairs), |_, _| true);
        let part_of = partition(&graph, parts);
        (graph, part_of)
    }

    /// Whether a node has a neighbour in an earlier part.
    fn on_cut(graph: &Graph, part_of: &[u32], i: u32) -> bool {
        graph.neighbours(i).iter().any(|&j| part_of[j as usize] < part_of[i as usize])
    }

    fn on_cuts(graph: &Graph, part_of: &[u32]) -> usize {
        (0..graph.nodes() as u32).filter(|&i| on_cut(graph, part_of, i)).count()
    }

    #[test]
    fn parts_have_equal_interiors_and_small_separators() {
        for (n, parts, limit) in [
            ([21, 21, 11], 2, 2 * 231),
            ([60, 9, 9], 2, 2 * 81),
            ([60, 9, 9], 4, 6 * 81),
            ([17, 17, 17], 2, 2 * 289),
            ([29, 29, 29], 8, 7 * 841),
        ] {
            let (graph, part_of) = solid(n, parts);
            let own = |part: u32| {
                let of_part = (0..).zip(&part_of).filter(|(_, p)| **p == part);
                of_part.filter(|(i, _)| !on_cut(&graph, &part_of, *i)).count()
            };
            let cuts = on_cuts(&graph, &part_of);
            let mean = (graph.nodes() - cuts) / parts;
            for size in (0..parts as u32).map(own) {
                assert!(size.abs_diff(mean) <= mean / 100, "{n:?}: {size}, not {mean}");
            }
            assert!(cuts <= limit, "{n:?} in {parts}: {cuts}");
        }
    }

    #[test]
    fn even_number_of_uncoupled_bodies_is_not_cut() {
        let pairs = (0..8u32).flat_map(|body| (1..40).map(move |k| (40 * body, 40 * body + k)));
        let graph = Graph::new(&BlockPattern::new(320, pairs), |_, _| true);
        assert_eq!(on_cuts(&graph, &partition(&graph, 4)), 0);
    }
}
