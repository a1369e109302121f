//! Aggregates: groups of nodes that move as one rigid body on the coarse level.

use super::graph::Graph;
use resile_math::AFFINE_NODES;
use resile_sparse::NO_ROW;

/// Number of nodes of an aggregate.
const AGGREGATE_SIZE: usize = 48;

/// Largest number of aggregates of more than one node. Beyond it the aggregates grow, so that the
/// coarse factorisation stays a small part of the work.
const MAX_AGGREGATES: usize = 300;

/// Disjoint groups of neighbouring nodes.
#[derive(Debug, Clone, Default)]
pub(super) struct Aggregates {
    /// Start of the members of each aggregate.
    start: Vec<u32>,
    /// Members, aggregate by aggregate, in the order of breadth-first growth.
    members: Vec<u32>,
}

impl Aggregates {
    /// Groups the `free` nodes by breadth-first search in `graph`, part by part; `graph` couples only
    /// free nodes of one part. An aggregate never spans two components. O(links).
    pub(super) fn new(graph: &Graph, free: &[bool], part_of: &[u32]) -> Self {
        let nodes = free.iter().filter(|free| **free).count();
        let mut growth = Growth {
            max_size: AGGREGATE_SIZE.max(nodes.div_ceil(MAX_AGGREGATES)),
            graph,
            aggregate_of: vec![NO_ROW; graph.nodes()],
            aggregates: Vec::new(),
            seeds: Vec::new(),
        };
        let mut sequence: Vec<u32> = (0..graph.nodes() as u32).collect();
        sequence.sort_by_key(|&i| part_of[i as usize]);
        for node in sequence.into_iter().filter(|&i| free[i as usize]) {
            if growth.aggregate_of[node as usize] == NO_ROW {
                growth.group_component(node);
            }
        }
        let mut out = Self { start: vec![0], members: Vec::with_capacity(nodes) };
        for members in growth.aggregates.iter().filter(|members| !members.is_empty()) {
            out.members.extend_from_slice(members);
            out.start.push(out.members.len() as u32);
        }
        out
    }

    /// Number of aggregates.
    pub(super) fn len(&self) -> usize {
        self.start.len() - 1
    }

    /// The nodes of aggregate `a`.
    pub(super) fn members(&self, a: usize) -> &[u32] {
        &self.members[self.start[a] as usize..self.start[a + 1] as usize]
    }

    /// All grouped nodes, aggregate by aggregate.
    pub(super) fn all_members(&self) -> &[u32] {
        &self.members
    }
}

/// Aggregates during their construction.
struct Growth<'a> {
    max_size: usize,
    graph: &'a Graph,
    /// Aggregate of each node.
    aggregate_of: Vec<u32>,
    aggregates: Vec<Vec<u32>>,
    /// Neighbours of finished aggregates: the next aggregates start there, so that they
    /// pack without holes.
    seeds: Vec<u32>,
}

impl Growth<'_> {
    /// Groups the connected component of `node`.
    fn group_component(&mut self, node: u32) {
        let first = self.aggregates.len();
        self.seeds.clear();
        self.seeds.push(node);
        let mut next_index = 0;
        while next_index < self.seeds.len() {
            let seed = self.seeds[next_index];
            next_index += 1;
            if self.aggregate_of[seed as usize] == NO_ROW {
                self.grow(seed);
            }
        }
        // The nodes of an affine body are coupled so stiffly that no coarser space represents them.
        if self.aggregates.len() == first + 1 && self.aggregates[first].len() <= AFFINE_NODES {
            self.split(first);
        } else {
            (first..self.aggregates.len()).for_each(|a| self.absorb_if_small(a));
        }
    }

    /// A new aggregate around `seed`.
    fn grow(&mut self, seed: u32) {
        let aggregate = self.aggregates.len() as u32;
        let mut members = vec![seed];
        self.aggregate_of[seed as usize] = aggregate;
        let mut next_index = 0;
        while next_index < members.len() {
            for &next in self.graph.neighbours(members[next_index]) {
                if self.aggregate_of[next as usize] != NO_ROW {
                    continue;
                }
                if members.len() < self.max_size {
                    self.aggregate_of[next as usize] = aggregate;
                    members.push(next);
                } else {
                    self.seeds.push(next);
                }
            }
            next_index += 1;
        }
        self.aggregates.push(members);
    }

    /// Splits `a`, the last aggregate, into aggregates of one node.
    fn split(&mut self, a: usize) {
        let members = self.aggregates.split_off(a).remove(0);
        for node in members {
            self.aggregate_of[node as usize] = self.aggregates.len() as u32;
            self.aggregates.push(vec![node]);
        }
    }

    /// Merges the aggregate `a`, if it has less than a third of `max_size`, into the neighbouring aggregate to which it has most
    /// links, of several into the first.
    fn absorb_if_small(&mut self, a: usize) {
        if 3 * self.aggregates[a].len() >= self.max_size {
            return;
        }
        let neighbours = self.aggregates[a].iter().flat_map(|&node| self.graph.neighbours(node));
        let mut linked: Vec<u32> =
            neighbours.map(|&n| self.aggregate_of[n as usize]).filter(|&b| b != a as u32).collect();
        linked.sort_unstable();
        let links_by_aggregate = linked.chunk_by(|first, second| first == second);
        let most_linked =
            links_by_aggregate.max_by_key(|links| (links.len(), std::cmp::Reverse(links[0])));
        let Some(&[target, ..]) = most_linked else {
            return;
        };
        let members = std::mem::take(&mut self.aggregates[a]);
        members.iter().for_each(|&node| self.aggregate_of[node as usize] = target);
        self.aggregates[target as usize].extend(members);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_sparse::BlockPattern;

    /// A box of nodes, neighbours along the axes.
    fn grid(n: [u32; 3], first: u32) -> Vec<(u32, u32)> {
        let id = |x: u32, y: u32, z: u32| first + (x * n[1] + y) * n[2] + z;
        let mut pairs = Vec::new();
        for x in 0..n[0] {
            for y in 0..n[1] {
                for z in 0..n[2] {
                    let here = id(x, y, z);
                    if x + 1 < n[0] {
                        pairs.push((here, id(x + 1, y, z)));
                    }
                    if y + 1 < n[1] {
                        pairs.push((here, id(x, y + 1, z)));
                    }
                    if z + 1 < n[2] {
                        pairs.push((here, id(x, y, z + 1)));
                    }
                }
            }
        }
        pairs
    }

    #[test]
    fn every_free_node_belongs_to_one_aggregate_of_its_component() {
        let big = 17 * 13 * 11;
        let mut pairs = grid([17, 13, 11], 0);
        // An affine body, a particle and a pair after the box.
        pairs.extend((0..4u32).flat_map(|i| (0..i).map(move |j| (big + i, big + j))));
        pairs.push((big + 5, big + 6));
        let rows = big as usize + 7;
        let free: Vec<bool> = (0..rows).map(|i| i % 97 != 3).collect();
        let graph = Graph::new(&BlockPattern::new(rows, pairs), |i, j| free[i] && free[j]);
        let groups = Aggregates::new(&graph, &free, &vec![0; rows]);
        let mut seen = vec![0; rows];
        for a in 0..groups.len() {
            let members = groups.members(a);
            members.iter().for_each(|&i| seen[i as usize] += 1);
            let boxed = members.iter().filter(|&&i| i < big).count();
            if boxed > 0 {
                assert_eq!(boxed, members.len());
                assert!((AGGREGATE_SIZE / 3..2 * AGGREGATE_SIZE).contains(&boxed), "{boxed}");
            } else {
                assert_eq!(members.len(), 1, "small components stay as they are");
            }
        }
        for i in 0..rows {
            assert_eq!(seen[i], usize::from(free[i]), "node {i}");
        }
    }

    #[test]
    fn aggregates_grow_with_the_graph() {
        let rows = 4 * AGGREGATE_SIZE * MAX_AGGREGATES;
        let chain = BlockPattern::new(rows, (1..rows as u32).map(|i| (i - 1, i)));
        let graph = Graph::new(&chain, |_, _| true);
        let groups = Aggregates::new(&graph, &vec![true; rows], &vec![0; rows]);
        assert!((MAX_AGGREGATES / 2..=MAX_AGGREGATES).contains(&groups.len()), "{}", groups.len());
    }
}
