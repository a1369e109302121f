//! The order in which rows are swept, and their partition among threads.
//!
//! Rows are divided into *parts* that are not coupled with each other and a *separator* that holds
//! one end of every coupling between parts, so that several threads can sweep at once. Any order
//! of rows is valid for Gauss-Seidel, so the only cost is that one thread sweeps the separator. The
//! partition depends on the matrix alone, so bits do not depend on the number of threads.

use super::aggregates::Aggregates;
use glam::Vec3A;
use resile_sparse::BlockPattern;
use std::ops::Range;

/// Least number of rows for two parts. `rotating-cube-soft` (1,331 nodes) takes 0.93 of the time
/// with two parts, `bouncing-ball-medium` (1,415) the same time.
const MIN_ROWS_FOR_TWO_PARTS: usize = 1200;
/// Rows per part for more than two parts. With 600 the twisted bar (4,851 nodes) takes 1.19 of the
/// time.
const ROWS_PER_PART: usize = 2000;
/// Largest number of parts: separators grow with it.
const MAX_PARTS: usize = 8;

/// Returns the number of parts of a matrix of `rows` rows: a power of two, so that two, four or eight threads
/// have equal shares.
pub(super) fn part_count(rows: usize) -> usize {
    if rows < MIN_ROWS_FOR_TWO_PARTS {
        1
    } else {
        1 << (rows / ROWS_PER_PART).clamp(2, MAX_PARTS).ilog2()
    }
}

/// Order in which the rows of nodes are swept: part by part, the separator at the end, aggregate
/// by aggregate within each.
#[derive(Debug, Clone, Default)]
pub(super) struct RowPartition {
    /// Node of each row in the order of the sweep.
    pub(super) node_in_order: Vec<u32>,
    /// Index of the row of each node in the order of the sweep: the inverse permutation.
    pub(super) sweep_index_of_node: Vec<u32>,
    /// The parts, in the order of the sweep.
    parts: Vec<Part>,
}

/// Rows swept by one thread.
#[derive(Debug, Clone)]
pub(super) struct Part {
    /// Index of the part.
    pub(super) index: usize,
    /// Sweep indices of the rows of the part.
    pub(super) range: Range<usize>,
    /// Indices of the aggregates of its nodes; some of their nodes may be in the separator.
    pub(super) aggregates: Range<usize>,
}

impl RowPartition {
    /// Partitions the rows of `pattern` and the aggregates among the parts. `part_of` has the index of the part of each
    /// node, from 0. The nodes of an aggregate must be of one part, and the aggregates must be sorted by their parts.
    /// O(blocks).
    pub(super) fn new(pattern: &BlockPattern, aggregates: &Aggregates, part_of: &[u32]) -> Self {
        let rows = pattern.rows();
        let parts = part_of.iter().max().map_or(1, |&last| last + 1);
        let is_in_separator = find_separator(pattern, part_of);
        let mut node_sequence = aggregates.all_members().to_vec();
        let mut is_grouped = vec![false; rows];
        node_sequence.iter().for_each(|&i| is_grouped[i as usize] = true);
        node_sequence.extend((0..rows as u32).filter(|&i| !is_grouped[i as usize]));
        let mut out = Self {
            node_in_order: Vec::with_capacity(rows),
            sweep_index_of_node: vec![0; rows],
            parts: Vec::new(),
        };
        let mut aggregate = 0;
        for p in 0..parts {
            let is_in_part = |&&i: &&u32| part_of[i as usize] == p && !is_in_separator[i as usize];
            let (start, first_aggregate) = (out.node_in_order.len(), aggregate);
            out.node_in_order.extend(node_sequence.iter().filter(is_in_part));
            let belongs_to_part = |a: usize| part_of[aggregates.members(a)[0] as usize] == p;
            while aggregate < aggregates.len() && belongs_to_part(aggregate) {
                aggregate += 1;
            }
            let range = start..out.node_in_order.len();
            out.parts.push(Part {
                index: p as usize,
                range,
                aggregates: first_aggregate..aggregate,
            });
        }
        out.node_in_order.extend(node_sequence.iter().filter(|&&i| is_in_separator[i as usize]));
        (0..rows).for_each(|sweep_index| {
            out.sweep_index_of_node[out.node_in_order[sweep_index] as usize] = sweep_index as u32;
        });
        out
    }

    /// Returns the number of rows.
    pub(super) fn rows(&self) -> usize {
        self.node_in_order.len()
    }

    /// Returns the parts, at least one.
    pub(super) fn parts(&self) -> &[Part] {
        &self.parts
    }

    /// Returns the sweep index of the first row of the separator.
    pub(super) fn separator_start(&self) -> usize {
        self.parts.last().map_or(0, |part| part.range.end)
    }

    /// Returns the number of rows of the separator.
    pub(super) fn separator_rows(&self) -> usize {
        self.rows() - self.separator_start()
    }

    /// Returns the length of the vector of the values of all parts: each part has one value for each of its rows and
    /// then one for each row of the separator.
    pub(super) fn part_value_count(&self) -> usize {
        self.separator_start() + self.parts.len() * self.separator_rows()
    }

    /// Returns `sum` plus the values of all parts for row `row` of the separator, counted from its start.
    #[inline(always)]
    pub(super) fn add_part_values(
        &self,
        part_values: &[Vec3A],
        row: usize,
        mut sum: Vec3A,
    ) -> Vec3A {
        for part in &self.parts {
            sum += part_values[part.range.end + part.index * self.separator_rows() + row];
        }
        sum
    }
}

/// Returns for each node whether it is in the separator, which has at least one end of every coupling between parts:
/// the end in the later part, unless the other one already belongs to it.
fn find_separator(pattern: &BlockPattern, part_of: &[u32]) -> Vec<bool> {
    let mut separator = vec![false; part_of.len()];
    for (i, j) in pattern.pairs() {
        let (i, j) = (i as usize, j as usize);
        if part_of[i] != part_of[j] && !separator[i] && !separator[j] {
            separator[if part_of[i] > part_of[j] { i } else { j }] = true;
        }
    }
    separator
}

/// Runs `f` for each part with its consecutive subslices of three slices, which have the lengths `widths`, and returns
/// the sum of the results. Recursive halving fixes the order of summation for any number of threads and allocates
/// nothing.
pub(super) fn sum_over_parts<A: Send, B: Send, C: Send>(
    parts: &[Part],
    (a, b, c): (&mut [A], &mut [B], &mut [C]),
    widths: &(impl Fn(&Part) -> [usize; 3] + Sync),
    f: &(impl Fn(&Part, &mut [A], &mut [B], &mut [C]) -> f64 + Sync),
) -> f64 {
    if let [part] = parts {
        return f(part, a, b, c);
    }
    let (left, right) = parts.split_at(parts.len() / 2);
    let mut lengths = [0; 3];
    for part in left {
        lengths.iter_mut().zip(widths(part)).for_each(|(length, width)| *length += width);
    }
    let (a, other_a) = a.split_at_mut(lengths[0]);
    let (b, other_b) = b.split_at_mut(lengths[1]);
    let (c, other_c) = c.split_at_mut(lengths[2]);
    let (sum, other_sum) = rayon::join(
        || sum_over_parts(left, (a, b, c), widths, f),
        || sum_over_parts(right, (other_a, other_b, other_c), widths, f),
    );
    sum + other_sum
}

#[cfg(test)]
mod tests {
    use super::super::graph::Graph;
    use super::super::partition::partition;
    use super::*;

    #[test]
    fn parts_couple_only_through_the_separator() {
        // A cube of nodes, some of which are fixed.
        let n = 20u32;
        let id = |x: u32, y: u32, z: u32| (x * n + y) * n + z;
        let cells = (0..n * n * n).map(|i| (i / n / n, i / n % n, i % n));
        let inside = cells.filter(|&(x, y, z)| x.max(y).max(z) + 1 < n);
        let links = inside.flat_map(|(x, y, z)| {
            let here = id(x, y, z);
            [id(x + 1, y, z), id(x, y + 1, z), id(x, y, z + 1)].map(|there| (here, there))
        });
        let pattern = BlockPattern::new((n * n * n) as usize, links);
        let free: Vec<bool> = (0..pattern.rows()).map(|i| i % 7 != 0).collect();
        let part_of = partition(&Graph::new(&pattern, |_, _| true), part_count(pattern.rows()));
        let graph = Graph::new(&pattern, |i, j| free[i] && free[j] && part_of[i] == part_of[j]);
        let aggregates = Aggregates::new(&graph, &free, &part_of);
        let row_partition = RowPartition::new(&pattern, &aggregates, &part_of);
        assert_eq!(row_partition.parts().len(), 4);
        let separator = row_partition.separator_start();
        assert!((1..pattern.rows() / 4).contains(&(pattern.rows() - separator)));
        for (i, j) in pattern.pairs() {
            let (p, q) = (
                row_partition.sweep_index_of_node[i as usize] as usize,
                row_partition.sweep_index_of_node[j as usize] as usize,
            );
            let together = row_partition
                .parts()
                .iter()
                .any(|part| part.range.contains(&p) && part.range.contains(&q));
            assert!(together || p.max(q) >= separator, "{i} and {j}");
        }
        for part in row_partition.parts() {
            let own = part.aggregates.clone().flat_map(|a| aggregates.members(a));
            for &node in own.filter(|&&node| {
                (row_partition.sweep_index_of_node[node as usize] as usize) < separator
            }) {
                assert!(
                    part.range
                        .contains(&(row_partition.sweep_index_of_node[node as usize] as usize))
                );
            }
        }
        let mut nodes = row_partition.node_in_order.clone();
        nodes.sort_unstable();
        assert!(nodes.iter().enumerate().all(|(i, &node)| i == node as usize));
    }
}
