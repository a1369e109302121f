//! What other programs write, made by formula: windings, seams, repeated elements, partitions, second order,
//! polygons, marks at the beginning of a file. Each has a right value that does not depend on the reader.

use resile_mesh::generate::BoxGrid;
use resile_mesh::read::{
    AnyMesh, OtherSolidPolicy, Seams, SolidMesh, SurfaceMesh, read_gmsh, read_gmsh_any, read_medit,
    read_medit_any, read_obj, read_off, read_ply, read_ply_with, read_tetgen, read_vtk,
    read_vtk_any, read_vtu_any,
};
use resile_mesh::{MeshError, TetMesh};
use std::fmt::Write as _;

fn cube() -> TetMesh {
    BoxGrid { cells: [2; 3], size: resile_math::Vec3::ONE }.build().unwrap()
}

/// With the corners of the elements that `flips` names in the opposite orientation.
fn wound(flips: impl Fn(usize) -> bool) -> TetMesh {
    let mut mesh = cube();
    for (number, tet) in mesh.tets.iter_mut().enumerate() {
        if flips(number) {
            tet.swap(0, 1);
        }
    }
    mesh
}

fn medit(mesh: &TetMesh, reference: impl Fn(usize) -> usize) -> String {
    let mut text =
        format!("MeshVersionFormatted 2\nDimension 3\nVertices\n{}\n", mesh.positions.len());
    mesh.positions.iter().for_each(|p| writeln!(text, "{} {} {} 0", p.x, p.y, p.z).unwrap());
    writeln!(text, "Tetrahedra\n{}", mesh.tets.len()).unwrap();
    for (number, tet) in mesh.tets.iter().enumerate() {
        let [a, b, c, d] = tet.map(|node| node + 1);
        writeln!(text, "{a} {b} {c} {d} {}", reference(number)).unwrap();
    }
    text + "End\n"
}

fn gmsh_nodes(mesh: &TetMesh) -> String {
    let mut text = format!("$Nodes\n{}\n", mesh.positions.len());
    for (number, p) in (1..).zip(&mesh.positions) {
        writeln!(text, "{number} {} {} {}", p.x, p.y, p.z).unwrap();
    }
    text + "$EndNodes\n"
}

const HEAD: &str = "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n";

#[test]
fn solid_is_independent_of_element_winding() {
    type Flips = fn(usize) -> bool;
    let patterns: [(Flips, usize); 3] = [(|_| false, 0), (|_| true, 48), (|k| k % 2 == 1, 24)];
    for (flips, count) in patterns {
        let text = medit(&wound(flips), |_| 0);
        let read = read_medit(text.as_bytes(), OtherSolidPolicy::Refuse).unwrap();
        read.mesh.check().unwrap();
        assert!((read.mesh.volume() - 1.0).abs() < 1e-14);
        assert_eq!(read.report.reoriented, count);
        let said =
            format!("reoriented {count} tetrahedra whose corners are listed in the opposite order");
        assert_eq!(read.report.notes().contains(&said), count > 0);
    }
}

#[test]
fn inverted_elements_are_distinguished_from_opposite_winding() {
    // The node in the middle is pushed out through a corner.
    let tangled = |flips: fn(usize) -> bool| {
        let mut mesh = wound(flips);
        let middle = mesh.positions.iter().position(|p| *p == resile_math::Vec3::ZERO);
        mesh.positions[middle.unwrap()] = resile_math::Vec3::new(0.8, 0.7, 0.6);
        mesh
    };
    let expected = tangled(|_| false).inverted();
    assert!(!expected.is_empty());
    for flips in [|_| false, |_| true, |k: usize| k.is_multiple_of(3)] {
        let mut mesh = tangled(flips);
        mesh.reorient();
        assert_eq!(mesh.inverted(), expected);
        assert!(matches!(mesh.check(), Err(MeshError::Inverted { .. })));
    }
    let mut twice = cube();
    twice.tets.push(twice.tets[0]);
    assert_eq!(twice.reorient(), 0, "an element that is there twice is no matter of winding");
}

#[test]
fn element_in_two_physical_groups_is_read_once() {
    let mesh = cube();
    let element = |group: usize, tet: &[u32; 4]| {
        let [a, b, c, d] = tet.map(|node| node + 1);
        format!("1 4 2 {group} 1 {a} {b} {c} {d}\n")
    };
    let all = mesh.tets.iter().map(|tet| element(1, tet));
    let core = mesh.tets.iter().step_by(3).map(|tet| element(2, tet));
    let elements: Vec<String> = all.chain(core).collect();
    let names = "$PhysicalNames\n2\n3 1 \"all\"\n3 2 \"core\"\n$EndPhysicalNames\n";
    let (nodes, count) = (gmsh_nodes(&mesh), elements.len());
    let text =
        format!("{HEAD}{names}{nodes}$Elements\n{count}\n{}$EndElements\n", elements.concat());
    let read = read_gmsh(text.as_bytes(), OtherSolidPolicy::Refuse).unwrap();
    assert_eq!(read.mesh, mesh);
    assert_eq!(read.groups["all"].elements, (0..48).collect::<Vec<u32>>());
    assert_eq!(read.groups["core"].elements, (0..48).step_by(3).collect::<Vec<u32>>());
    // Twice in one group is a mistake of the file.
    let twice = format!(
        "{HEAD}{nodes}$Elements\n3\n{0}{0}{1}$EndElements\n",
        element(1, &mesh.tets[0]),
        element(2, &mesh.tets[1])
    );
    assert_eq!(read_gmsh(twice.as_bytes(), OtherSolidPolicy::Refuse).unwrap().mesh.tets.len(), 3);
}

/// Two tetrahedra on one triangle.
const POINTS: [[f64; 3]; 5] =
    [[0.0; 3], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0], [0.0, 0.0, 1.0], [0.0, 0.0, -1.0]];

#[test]
fn partitioned_mesh_keeps_its_physical_groups() {
    let places: String = POINTS.map(|[x, y, z]| format!("{x} {y} {z}\n")).concat();
    let boxed = "0 0 -1 1 1 1";
    let text = format!(
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 5 \"rock\"\n$EndPhysicalNames\n\
         $Entities\n0 0 0 1\n1 {boxed} 1 5 0\n$EndEntities\n\
         $PartitionedEntities\n2\n0\n0 0 0 2\n2 3 1 1 1 {boxed} 1 5 0\n3 3 1 1 2 {boxed} 0 0\n$EndPartitionedEntities\n\
         $Nodes\n1 5 1 5\n3 2 0 5\n1\n2\n3\n4\n5\n{places}$EndNodes\n\
         $Elements\n2 2 1 2\n3 2 4 1\n1 1 2 3 4\n3 3 4 1\n2 1 3 2 5\n$EndElements\n"
    );
    let read = read_gmsh(text.as_bytes(), OtherSolidPolicy::Refuse).unwrap();
    assert_eq!(read.groups["rock"].elements, [0, 1]);
}

#[test]
fn gmsh_parametric_nodes_are_read_as_nodes() {
    let text = format!(
        "{HEAD}$ParametricNodes\n4\n1 0 0 0 0 1\n2 1 0 0 1 4 0.5\n3 0 1 0 2 7 0.25 0.75\n4 0 0 1 3 1\n\
         $EndParametricNodes\n$Elements\n1\n1 4 2 0 1 1 2 3 4\n$EndElements\n"
    );
    let read = read_gmsh(text.as_bytes(), OtherSolidPolicy::Refuse).unwrap();
    assert_eq!(read.mesh.positions, POINTS[..4].iter().map(|&p| p.into()).collect::<Vec<_>>());
}

/// The corners of a tetrahedron, then the middles of its edges; the second is off its place.
fn second_order(edges: [[usize; 2]; 6], off: f64) -> String {
    let at = |k: usize| POINTS[k];
    let middle = |[i, j]: [usize; 2]| [0, 1, 2].map(|d| 0.5 * (at(i)[d] + at(j)[d]));
    let mut all: Vec<[f64; 3]> = POINTS[..4].to_vec();
    all.extend(edges.map(middle));
    all[5][0] += off;
    all.iter().map(|[x, y, z]| format!("{x} {y} {z}\n")).collect()
}

const GMSH: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [2, 3], [1, 3]];
const VTK: [[usize; 2]; 6] = [[0, 1], [1, 2], [0, 2], [0, 3], [1, 3], [2, 3]];
const TETGEN: [[usize; 2]; 6] = [[2, 3], [0, 3], [0, 1], [1, 2], [1, 3], [0, 2]];

fn of_second_order(off: f64) -> [SolidMesh; 3] {
    let numbered = |places: String| -> String {
        (1..).zip(places.lines()).map(|(number, line)| format!("{number} {line}\n")).collect()
    };
    let gmsh = format!(
        "{HEAD}$Nodes\n10\n{}$EndNodes\n$Elements\n1\n1 11 2 0 1 1 2 3 4 5 6 7 8 9 10\n$EndElements\n",
        numbered(second_order(GMSH, off))
    );
    let vtk = format!(
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 10 double\n{}\
         CELLS 1 11\n10 0 1 2 3 4 5 6 7 8 9\nCELL_TYPES 1\n24\n",
        second_order(VTK, off)
    );
    let node = format!("10 3 0 0\n{}", numbered(second_order(TETGEN, off)));
    let ele = "1 10 0\n1 1 2 3 4 5 6 7 8 9 10\n";
    [
        read_gmsh(gmsh.as_bytes(), OtherSolidPolicy::Refuse).unwrap(),
        read_vtk(vtk.as_bytes(), OtherSolidPolicy::Refuse).unwrap(),
        read_tetgen(node.as_bytes(), ele.as_bytes()).unwrap(),
    ]
}

#[test]
fn second_order_tetrahedra_are_read_and_curved_ones_reported() {
    for read in of_second_order(0.0) {
        assert_eq!(read.mesh.positions.len(), 4);
        assert_eq!(read.report.unused_nodes, 0);
        let message = read.report.second_order.unwrap();
        assert_eq!((message.elements, message.curved, message.farthest), (1, 0, 0.0));
        // Every middle is known by its number in the file and by its edge.
        let quadratic = read.mesh.quadratic();
        let middles: std::collections::BTreeMap<[u32; 2], u32> = quadratic.middles().collect();
        assert_eq!(
            read.middles.iter().map(|&(number, _)| number).collect::<Vec<_>>(),
            [4, 5, 6, 7, 8, 9]
        );
        assert!(read.middles.iter().all(|(_, edge)| middles.contains_key(edge)));
    }
    for read in of_second_order(0.125) {
        let message = read.report.second_order.unwrap();
        assert_eq!((message.elements, message.curved, message.farthest), (1, 1, 0.125));
        assert!(message.to_string().contains("curved"), "{message}");
        // The node is where the file has it.
        let (&edge, &place) = read.curved.first_key_value().unwrap();
        let mesh = read.mesh.quadratic_with_curved_edges(&read.curved);
        let own = mesh.middles().find(|(other, _)| *other == edge).unwrap().1;
        assert_eq!(mesh.positions[own as usize], place);
        let [a, b] = edge.map(|end| read.mesh.positions[end as usize]);
        assert_eq!(place.distance(0.5 * (a + b)), 0.125);
        assert_eq!((read.curved.len(), mesh.curved_count()), (1, 1));
    }
}

#[test]
fn references_and_attributes_are_read_as_groups() {
    let mesh = cube();
    let text = medit(&mesh, |k| 1 + k % 2);
    let of_medit = read_medit(text.as_bytes(), OtherSolidPolicy::Refuse).unwrap();
    let nodes: String = (1..)
        .zip(&mesh.positions)
        .map(|(k, p)| format!("{k} {} {} {} {}\n", p.x, p.y, p.z, u8::from(p.x == 0.0)))
        .collect();
    let elements: String = (1..)
        .zip(&mesh.tets)
        .map(|(k, tet)| {
            let [a, b, c, d] = tet.map(|node| node + 1);
            format!("{k} {a} {b} {c} {d} {}\n", 2 - k % 2)
        })
        .collect();
    let node = format!("{} 3 0 1\n{nodes}", mesh.positions.len());
    let ele = format!("{} 4 1\n{elements}", mesh.tets.len());
    let of_tetgen = read_tetgen(node.as_bytes(), ele.as_bytes()).unwrap();
    for (read, word) in [(&of_medit, "ref"), (&of_tetgen, "attribute")] {
        for k in 0..2 {
            let expected: Vec<u32> = (k..48).step_by(2).collect();
            assert_eq!(read.groups[&format!("{word}={}", k + 1)].elements, expected);
        }
    }
    let held = &of_tetgen.groups["marker=1"].nodes;
    assert!(held.iter().all(|&node| mesh.positions[node as usize].x == 0.0) && held.len() == 9);
    assert_eq!(of_tetgen.fields["attribute"][..3], [1.0, 2.0, 1.0]);
}

/// A square of sixteen, every triangle with corners of its own.
fn soup() -> (Vec<[f64; 3]>, Vec<[usize; 3]>) {
    let mut points = Vec::new();
    for (i, j) in (0..4).flat_map(|i| (0..4).map(move |j| (i, j))) {
        let at = |i: usize, j: usize| [i as f64 / 4.0, 0.0, j as f64 / 4.0];
        let square = [at(i, j), at(i, j + 1), at(i + 1, j + 1), at(i + 1, j)];
        points.extend([0, 1, 2, 0, 2, 3].map(|k: usize| square[k]));
    }
    let triangles = (0..points.len() / 3).map(|k| [3 * k, 3 * k + 1, 3 * k + 2]).collect();
    (points, triangles)
}

fn lines<T: ToString, const N: usize>(rows: &[[T; N]], before: &str) -> String {
    let line = |row: &[T; N]| row.iter().map(|x| x.to_string() + " ").collect::<String>();
    rows.iter().map(|row| format!("{before}{}\n", line(row))).collect()
}

#[test]
fn boundary_vertices_are_welded_alike_in_all_formats() {
    let (points, triangles) = soup();
    let (p, t) = (points.len(), triangles.len());
    let (places, faces) = (lines(&points, ""), lines(&triangles, "3 "));
    let ply = format!(
        "ply\nformat ascii 1.0\nelement vertex {p}\nproperty float x\nproperty float y\nproperty float z\n\
         element face {t}\nproperty list uchar int vertex_indices\nend_header\n{places}{faces}"
    );
    let off = format!("OFF\n{p} {t} 0\n{places}{faces}");
    let from_one: Vec<[usize; 3]> = triangles.iter().map(|t| t.map(|k| k + 1)).collect();
    let obj = format!("{}{}", lines(&points, "v "), lines(&from_one, "f "));
    let vtk = format!(
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET POLYDATA\nPOINTS {p} double\n{places}\
         POLYGONS {t} {}\n{faces}",
        4 * t
    );
    let Ok(AnyMesh::Surface(of_vtk)) =
        read_vtk_any(vtk.as_bytes(), OtherSolidPolicy::Refuse, Seams::Sewn)
    else {
        panic!("it is a surface");
    };
    let sewn = [
        read_ply(ply.as_bytes()).unwrap(),
        read_off(off.as_bytes()).unwrap(),
        read_obj(obj.as_bytes()).unwrap(),
        of_vtk,
    ];
    for read in sewn {
        assert_eq!(read.mesh.positions.len(), 25);
        assert_eq!((read.mesh.defects().open_edges, read.report.sewn), (16, 96 - 25));
    }
    let kept = read_ply_with(ply.as_bytes(), Seams::Kept).unwrap();
    assert_eq!((kept.mesh.positions.len(), kept.report.sewn), (96, 0));
}

#[test]
fn off_header_prefixes_in_any_order_and_vtk_strips_are_read() {
    for word in ["OFF", "NOFF", "COFF", "NCOFF", "CNOFF", "STOFF", "STCNOFF", "NSTCOFF"] {
        let more = if word == "OFF" { "" } else { " 0 0 1 0.5" };
        let text = format!("{word}\n3 1 0\n0 0 0{more}\n1 0 0{more}\n0 1 0{more}\n3 0 1 2\n");
        assert_eq!(read_off(text.as_bytes()).unwrap().mesh.area(), 0.5, "{word}");
    }
    for word in ["4OFF", "nOFF", "CCOFF", "STXOFF"] {
        let text = format!("{word}\n3 1 0\n0 0 0\n1 0 0\n0 1 0\n3 0 1 2\n");
        read_off(text.as_bytes()).expect_err(word);
    }
    // Two strips, the second after a triangle that only turns the way.
    let ply = "ply\nformat ascii 1.0\nelement vertex 6\nproperty float x\nproperty float y\nproperty float z\n\
        element tristrips 1\nproperty list int int vertex_indices\nend_header\n\
        0 0 0\n1 0 0\n0 1 0\n1 1 0\n0 2 0\n1 2 0\n9 0 1 2 3 -1 2 3 4 5\n";
    let read = read_ply(ply.as_bytes()).unwrap();
    assert_eq!((read.mesh.triangles.len(), read.mesh.area()), (4, 2.0));
    assert_eq!(read.mesh.defects().misoriented_edges, 0);
}

fn surface(read: Result<AnyMesh, resile_mesh::read::MeshFileError>) -> SurfaceMesh {
    match read {
        Ok(AnyMesh::Surface(surface)) => surface,
        other => panic!("no surface: {other:?}"),
    }
}

#[test]
fn element_files_without_solids_are_read_as_surfaces_with_groups() {
    let gmsh = format!(
        "{HEAD}$PhysicalNames\n1\n2 3 \"skin\"\n$EndPhysicalNames\n$Nodes\n5\n9 5 5 5\n1 0 0 0\n2 1 0 0\n3 1 1 0\n\
         4 0 1 0\n$EndNodes\n$Elements\n3\n1 15 2 0 1 9\n2 2 2 3 1 1 2 3\n3 2 2 3 1 1 3 4\n$EndElements\n"
    );
    let medit = "MeshVersionFormatted 2\nDimension 3\nVertices 4\n0 0 0 0\n1 0 0 0\n1 1 0 0\n0 1 0 0\n\
        Quadrilaterals 1\n1 2 3 4 7\nEnd\n";
    let vtp = "<VTKFile type='PolyData'><PolyData><Piece NumberOfPoints='4' NumberOfPolys='1'>\
        <CellData><DataArray type='Int32' Name='part' format='ascii'>7</DataArray></CellData>\
        <Points><DataArray type='Float64' NumberOfComponents='3' format='ascii'>0 0 0 1 0 0 1 1 0 0 1 0\
        </DataArray></Points><Polys><DataArray type='Int64' Name='connectivity' format='ascii'>0 1 2 3\
        </DataArray><DataArray type='Int64' Name='offsets' format='ascii'>4</DataArray></Polys>\
        </Piece></PolyData></VTKFile>";
    let (refuse, sewn) = (OtherSolidPolicy::Refuse, Seams::Sewn);
    let read = [
        (surface(read_gmsh_any(gmsh.as_bytes(), refuse, sewn)), "skin"),
        (surface(read_medit_any(medit.as_bytes(), refuse, sewn)), "quadrilaterals ref=7"),
        (surface(read_vtu_any(vtp.as_bytes(), refuse, sewn)), "part=7"),
    ];
    for (read, group) in read {
        assert_eq!((read.mesh.positions.len(), read.mesh.area()), (4, 1.0), "{group}");
        assert_eq!(read.groups[group].elements, [0, 1], "{group}");
        assert_eq!(read.groups[group].nodes, [0, 1, 2, 3], "{group}");
    }
    read_gmsh(gmsh.as_bytes(), refuse).expect_err("it is no solid");
}

#[test]
fn byte_order_mark_two_corner_faces_and_unknown_lines_are_skipped_and_reported() {
    let tet = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
    let marked = read_obj(format!("\u{feff}{tet}").as_bytes()).unwrap();
    assert!((marked.mesh.enclosed_volume() - 1.0 / 6.0).abs() < 1e-15);
    let odd =
        read_obj(format!("{tet}f 1 2\nsurf 0 1\nvt 0 0\nwhat 1\nwhat 2\n").as_bytes()).unwrap();
    assert_eq!(odd.mesh, marked.mesh);
    assert_eq!(
        odd.report.notes(),
        [
            "left out 1 faces with fewer than 3 corners",
            "left out 1 lines that begin with `surf`, which are not read; the first is line 10",
            "left out 2 lines that begin with `what`, which are not read; the first is line 12"
        ]
    );
}

#[test]
fn fluent_meshes_are_rejected_with_a_meshio_remedy() {
    let error =
        read_gmsh(&b"(1 \"meshio 5.3.5\")\n(2 3)\n"[..], OtherSolidPolicy::Refuse).unwrap_err();
    assert!(error.to_string().contains("file_format=\"gmsh22\""), "{error}");
}
