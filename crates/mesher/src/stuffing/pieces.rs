//! Connected components of tetrahedra, and removal of hinges.

use resile_mesh::TetMesh;

/// For each tetrahedron, the neighbour at the face opposite each corner; `u32::MAX` at the boundary. Costs one
/// sort of all faces.
fn neighbours(tets: &[[u32; 4]]) -> Vec<[u32; 4]> {
    let mut faces: Vec<([u32; 3], u32)> = Vec::with_capacity(4 * tets.len());
    for (tet, &[a, b, c, d]) in (0..).zip(tets) {
        for (k, mut face) in [[b, c, d], [a, c, d], [a, b, d], [a, b, c]].into_iter().enumerate() {
            face.sort_unstable();
            faces.push((face, 4 * tet + k as u32));
        }
    }
    faces.sort_unstable();
    let mut neighbours = vec![[u32::MAX; 4]; tets.len()];
    for &[(face, first), (next_face, second)] in faces.array_windows() {
        if face == next_face {
            neighbours[first as usize / 4][first as usize % 4] = second / 4;
            neighbours[second as usize / 4][second as usize % 4] = first / 4;
        }
    }
    neighbours
}

/// Connected components of `tets` (an ascending subset of a mesh). `neighbours` has the neighbour of each tetrahedron
/// at the face opposite each corner. It is connected to that at corner `k` if `joins(tetrahedron, k)` is true.
fn components(
    tets: &[u32],
    neighbours: &[[u32; 4]],
    joins: impl Fn(u32, usize) -> bool,
) -> Vec<Vec<u32>> {
    let mut visited = vec![false; tets.len()];
    let mut components = Vec::new();
    for seed in 0..tets.len() {
        if visited[seed] {
            continue;
        }
        visited[seed] = true;
        let mut component = vec![tets[seed]];
        let mut visited_count = 0;
        while let Some(&tet) = component.get(visited_count) {
            visited_count += 1;
            for k in 0..4 {
                let Ok(index) = tets.binary_search(&neighbours[tet as usize][k]) else { continue };
                if !visited[index] && joins(tet, k) {
                    visited[index] = true;
                    component.push(tets[index]);
                }
            }
        }
        components.push(component);
    }
    components
}

/// Keeps the face-connected component with the largest volume. Returns the numbers of dropped
/// components and tetrahedra.
pub(super) fn keep_largest(mesh: &mut TetMesh) -> (usize, usize) {
    let elements: Vec<u32> = (0..mesh.tets.len() as u32).collect();
    let mut parts = components(&elements, &neighbours(&mesh.tets), |_, _| true);
    if parts.len() < 2 {
        return (0, 0);
    }
    remove_largest(mesh, &mut parts);
    let dropped: Vec<u32> = parts.concat();
    let counts = (parts.len(), dropped.len());
    remove_tets(mesh, dropped);
    counts
}

/// Removes tetrahedra until no two parts of the solid connect only at an edge or a vertex; the largest part
/// around such an edge or vertex is kept. Returns the number of removed tetrahedra.
///
/// Such hinges appear where the solid is thinner than a cell. They do not transmit all elastic forces between
/// the parts, and the surface there is not a manifold.
pub(super) fn remove_hinges(mesh: &mut TetMesh) -> usize {
    let count_before = mesh.tets.len();
    loop {
        let neighbours = neighbours(&mesh.tets);
        let mut dropped = hinges_at_edges(mesh, &neighbours);
        if dropped.is_empty() {
            dropped = hinges_at_vertices(mesh, &neighbours);
        }
        if dropped.is_empty() {
            return count_before - mesh.tets.len();
        }
        remove_tets(mesh, dropped);
    }
}

/// Tetrahedra to remove at edges with more than two boundary faces: all around the edge but the largest part that is
/// connected through faces.
fn hinges_at_edges(mesh: &TetMesh, neighbours: &[[u32; 4]]) -> Vec<u32> {
    let mut boundary_edges = Vec::new();
    for (nodes, neighbours_of_tet) in mesh.tets.iter().zip(neighbours) {
        for k in (0..4).filter(|&k| neighbours_of_tet[k] == u32::MAX) {
            let face = [(k + 1) % 4, (k + 2) % 4, (k + 3) % 4].map(|j| nodes[j]);
            for [a, b] in [[face[0], face[1]], [face[1], face[2]], [face[2], face[0]]] {
                boundary_edges.push([a.min(b), a.max(b)]);
            }
        }
    }
    boundary_edges.sort_unstable();
    let singular_edges: Vec<[u32; 2]> = boundary_edges
        .chunk_by(|a, b| a == b)
        .filter(|repetitions| repetitions.len() > 2)
        .map(|repetitions| repetitions[0])
        .collect();
    if singular_edges.is_empty() {
        return Vec::new();
    }
    let mut tets_of_edges: Vec<([u32; 2], u32)> = Vec::new();
    for (tet, nodes) in (0..).zip(&mesh.tets) {
        for [i, j] in [[0, 1], [0, 2], [0, 3], [1, 2], [1, 3], [2, 3]] {
            let edge = [nodes[i].min(nodes[j]), nodes[i].max(nodes[j])];
            if singular_edges.binary_search(&edge).is_ok() {
                tets_of_edges.push((edge, tet));
            }
        }
    }
    smaller_parts(mesh, neighbours, tets_of_edges, |edge, node| !edge.contains(&node))
}

/// Tetrahedra to remove at vertices whose tetrahedra are not connected through faces at the vertex.
fn hinges_at_vertices(mesh: &TetMesh, neighbours: &[[u32; 4]]) -> Vec<u32> {
    let mut is_on_boundary = vec![false; mesh.positions.len()];
    for (nodes, neighbours_of_tet) in mesh.tets.iter().zip(neighbours) {
        for k in (0..4).filter(|&k| neighbours_of_tet[k] == u32::MAX) {
            [1, 2, 3].iter().for_each(|j| is_on_boundary[nodes[(k + j) % 4] as usize] = true);
        }
    }
    let mut tets_of_vertices: Vec<(u32, u32)> = Vec::new();
    for (tet, nodes) in (0..).zip(&mesh.tets) {
        tets_of_vertices
            .extend(nodes.iter().filter(|&&n| is_on_boundary[n as usize]).map(|&n| (n, tet)));
    }
    smaller_parts(mesh, neighbours, tets_of_vertices, |&vertex, node| vertex != node)
}

/// For each key (edge or vertex), the tetrahedra at the key that are not connected with the largest part through faces
/// that contain the key. `is_outside_key` tells whether a node is not in the key.
fn smaller_parts<Key: Ord + Copy>(
    mesh: &TetMesh,
    neighbours: &[[u32; 4]],
    mut tets_of_keys: Vec<(Key, u32)>,
    is_outside_key: impl Fn(&Key, u32) -> bool,
) -> Vec<u32> {
    tets_of_keys.sort_unstable();
    let mut dropped = Vec::new();
    for group in tets_of_keys.chunk_by(|(a, _), (b, _)| a == b) {
        let &[(key, _), ..] = group else { continue };
        let tets: Vec<u32> = group.iter().map(|&(_, tet)| tet).collect();
        let contains_key = |tet: u32, k: usize| is_outside_key(&key, mesh.tets[tet as usize][k]);
        let mut parts = components(&tets, neighbours, contains_key);
        if parts.len() > 1 {
            remove_largest(mesh, &mut parts);
            dropped.extend(parts.concat());
        }
    }
    dropped
}

/// Removes the part with the largest volume from the list; of several largest parts, the first.
fn remove_largest(mesh: &TetMesh, parts: &mut Vec<Vec<u32>>) {
    let volume =
        |part: &Vec<u32>| part.iter().map(|&tet| mesh.volume_of(tet as usize)).sum::<f64>();
    let (mut largest, mut max_volume) = (0, f64::NEG_INFINITY);
    for (index, part) in parts.iter().enumerate() {
        let volume = volume(part);
        if volume > max_volume {
            (largest, max_volume) = (index, volume);
        }
    }
    parts.remove(largest);
}

/// Removes the listed tetrahedra (repetitions allowed) and then unused nodes.
fn remove_tets(mesh: &mut TetMesh, dropped: Vec<u32>) {
    let mut is_kept = vec![true; mesh.tets.len()];
    dropped.into_iter().for_each(|tet| is_kept[tet as usize] = false);
    let mut is_kept = is_kept.into_iter();
    mesh.tets.retain(|_| is_kept.next() == Some(true));
    let mut is_used = vec![false; mesh.positions.len()];
    mesh.tets.iter().flatten().for_each(|&node| is_used[node as usize] = true);
    let mut new_indices = vec![0; is_used.len()];
    let mut node_count = 0;
    for (node, _) in is_used.iter().enumerate().filter(|&(_, &is_used)| is_used) {
        new_indices[node] = node_count;
        mesh.positions[node_count as usize] = mesh.positions[node];
        node_count += 1;
    }
    mesh.positions.truncate(node_count as usize);
    mesh.tets.iter_mut().flatten().for_each(|node| *node = new_indices[*node as usize]);
}
