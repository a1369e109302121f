//! Adjacency lists of coupled nodes.

use resile_sparse::BlockPattern;

/// Neighbours of each node.
#[derive(Debug, Clone)]
pub(super) struct Graph {
    start: Vec<u32>,
    neighbours: Vec<u32>,
}

impl Graph {
    /// The couplings of `pattern` for which `is_edge` returns true. O(blocks).
    pub(super) fn new(pattern: &BlockPattern, is_edge: impl Fn(usize, usize) -> bool) -> Self {
        let links = || pattern.pairs().filter(|&(i, j)| i != j && is_edge(i as usize, j as usize));
        let mut start = vec![0u32; pattern.rows() + 1];
        for (i, j) in links() {
            start[i as usize + 1] += 1;
            start[j as usize + 1] += 1;
        }
        for i in 0..pattern.rows() {
            start[i + 1] += start[i];
        }
        let mut next = start.clone();
        let mut neighbours = vec![0; start[pattern.rows()] as usize];
        for (i, j) in links() {
            for (from, to) in [(i, j), (j, i)] {
                neighbours[next[from as usize] as usize] = to;
                next[from as usize] += 1;
            }
        }
        Self { start, neighbours }
    }

    /// Number of nodes.
    pub(super) fn nodes(&self) -> usize {
        self.start.len() - 1
    }

    /// The neighbours of a node.
    pub(super) fn neighbours(&self, node: u32) -> &[u32] {
        let node = node as usize;
        &self.neighbours[self.start[node] as usize..self.start[node + 1] as usize]
    }
}
