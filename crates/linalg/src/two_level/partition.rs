//! Cutting a graph into parts of about the same size with few couplings between them.
//!
//! Halving again and again: nodes are sorted by how much nearer they are to one end of the
//! graph than to the other. That cuts a bar across: where a plane would meet 231 nodes of
//! the twisted bar, 242 are on the cut, and 608 were on that between parts grown around a
//! node. Positions would cut as well, but they change, and a run that is resumed must cut
//! where it did before.

use super::graph::Graph;
use std::collections::VecDeque;

/// The part of each node: `parts` of them, numbered from zero. O(links) for each halving.
pub(super) fn partition(graph: &Graph, parts: usize) -> Vec<u32> {
    let mut cutter =
        Cutter { graph, part_of: vec![0; graph.nodes()], distance: vec![FAR; graph.nodes()] };
    let mut nodes: Vec<u32> = (0..graph.nodes() as u32).collect();
    cutter.cut(&mut nodes, 0, parts);
    cutter.part_of
}

/// In place of a distance: not reached.
const FAR: i32 = i32::MAX;

struct Cutter<'a> {
    graph: &'a Graph,
    part_of: Vec<u32>,
    distance: Vec<i32>,
}

impl Cutter<'_> {
    /// Cuts `nodes`, which are all of part `first`, into parts from `first` on.
    fn cut(&mut self, nodes: &mut [u32], first: u32, parts: usize) {
        if parts == 1 || nodes.is_empty() {
            return;
        }
        let one_end = self.visit(nodes, nodes[0], first);
        let other_end = self.visit(nodes, one_end, first);
        let from_one: Vec<i32> = nodes.iter().map(|&i| self.distance[i as usize]).collect();
        self.visit(nodes, other_end, first);
        let mut keyed: Vec<(i32, i32, u32)> = nodes
            .iter()
            .zip(from_one)
            .map(|(&i, from_one)| (from_one - self.distance[i as usize], from_one, i))
            .collect();
        keyed.sort_unstable();
        nodes.iter_mut().zip(keyed).for_each(|(node, (_, _, i))| *node = i);
        let left_parts = parts / 2;
        let (left, right) = nodes.split_at_mut(nodes.len() * left_parts / parts);
        let second = first + left_parts as u32;
        right.iter().for_each(|&i| self.part_of[i as usize] = second);
        self.cut(left, first, left_parts);
        self.cut(right, second, parts - left_parts);
    }

    /// Writes the distances of `nodes`, of one part, from `start`; the last one reached.
    /// What is not connected with `start` follows as if it were far away: one component
    /// after the other.
    fn visit(&mut self, nodes: &[u32], start: u32, part: u32) -> u32 {
        nodes.iter().for_each(|&i| self.distance[i as usize] = FAR);
        let mut queue = VecDeque::new();
        let (mut last, mut offset) = (start, 0);
        for seed in std::iter::once(start).chain(nodes.iter().copied()) {
            if self.distance[seed as usize] != FAR {
                continue;
            }
            self.distance[seed as usize] = offset;
            queue.push_back(seed);
            while let Some(node) = queue.pop_front() {
                last = node;
                offset = self.distance[node as usize] + 1;
                for &next in self.graph.of(node) {
                    let next = next as usize;
                    if self.distance[next] == FAR && self.part_of[next] == part {
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
    use crate::BlockPattern;

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

    /// Nodes with a neighbour in an earlier part.
    fn on_cuts(graph: &Graph, part_of: &[u32]) -> usize {
        let earlier =
            |i: u32| graph.of(i).iter().any(|&j| part_of[j as usize] < part_of[i as usize]);
        (0..graph.nodes() as u32).filter(|&i| earlier(i)).count()
    }

    #[test]
    fn parts_are_equal_and_cuts_are_short() {
        for (n, parts, limit) in [
            ([21, 21, 11], 2, 2 * 231),
            ([60, 9, 9], 2, 2 * 81),
            ([60, 9, 9], 4, 6 * 81),
            ([17, 17, 17], 2, 2 * 289),
            ([29, 29, 29], 8, 7 * 841),
        ] {
            let (graph, part_of) = solid(n, parts);
            for part in 0..parts as u32 {
                let size = part_of.iter().filter(|&&p| p == part).count();
                assert!((size * parts).abs_diff(graph.nodes()) <= 2 * parts, "{n:?}: {size}");
            }
            let cuts = on_cuts(&graph, &part_of);
            assert!(cuts <= limit, "{n:?} in {parts}: {cuts}");
        }
    }

    #[test]
    fn bodies_that_are_not_coupled_are_not_cut_where_their_number_is_even() {
        let pairs = (0..8u32).flat_map(|body| (1..40).map(move |k| (40 * body, 40 * body + k)));
        let graph = Graph::new(&BlockPattern::new(320, pairs), |_, _| true);
        assert_eq!(on_cuts(&graph, &partition(&graph, 4)), 0);
    }
}
