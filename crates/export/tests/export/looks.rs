//! What bodies look like: polygons, texture coordinates, normals, curves, materials, motion blur.

use crate::support::{Run, TestBody, usual};
use resile_export::Format;
use resile_math::Vec3;
use resile_mesh::generate::Icosphere;
use resile_record::BodyCells;

/// Two squares, of which the second is cut off by a notch and has a material, with a seam of the texture between them.
const SAIL: &str = "v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nv 1 0 0\nv 2 0 0\nv 1.5 0 0.5\nv 2 0 1\nv 1 0 1\n\
                    vt 0 0\nvt 0.4 0\nvt 0.4 0.4\nvt 0 0.4\nvt 0.5 0\nvt 0.9 0\nvt 0.7 0.2\nvt 0.9 0.4\nvt 0.5 0.4\n\
                    f 1/1 4/4 3/3 2/2\nusemtl red cloth\nf 5/5 9/9 8/8 7/7 6/6\n";
/// Two strands, of which the first has its lines out of order, and a vertex that no line uses.
const HAIR: &str =
    "v 0 1 0\nv 0 2 0\nv 9 9 9\nv 0 3 0\nv 1 1 0\nv 1 2 0\nv 1 3 0\nl 2 4\nl 1 2\nl 5 6 7\n";

/// A sail of polygons, hair, a ring, and a ball, all of which deform.
pub(crate) fn run() -> Run {
    let vector = |[x, y, z]: [f64; 3]| Vec3::new(x, y, z);
    let sail =
        [[0, 0, 0], [1, 0, 0], [1, 0, 1], [0, 0, 1]].map(|p: [i32; 3]| vector(p.map(f64::from)));
    let sail =
        [&sail[..], &[[2.0, 0.0, 0.0], [1.5, 0.0, 0.5], [2.0, 0.0, 1.0]].map(vector)].concat();
    let triangles = &[[0, 3, 2], [0, 2, 1], [1, 2, 5], [1, 5, 4], [2, 6, 5]];
    let of_sail = BodyCells { name: "sail", triangles, ..BodyCells::default() };
    let hair = [0.0, 1.0].map(|x| [1.0, 2.0, 3.0].map(|y| Vec3::new(x, y, 0.0)));
    let (lines, radius) = (&[[0, 1], [1, 2], [3, 4], [4, 5]], Some(0.05));
    let of_hair = BodyCells { name: "hair", lines, radius, ..BodyCells::default() };
    let ring = [0.0, 1.0, 2.0].map(|k: f64| Vec3::new(k.cos(), k.sin(), 3.0));
    let lines = &[[0, 1], [1, 2], [2, 0]];
    let of_ring = BodyCells { name: "ring", lines, radius, ..BodyCells::default() };
    let ball = Icosphere { radius: 0.5, subdivisions: 2 }.build().expect("a sphere");
    let of_ball = BodyCells { name: "ball", triangles: &ball.triangles, ..BodyCells::default() };
    let bodies = [
        TestBody { cells: of_sail, points: &sail, file: Some(SAIL) },
        TestBody { cells: of_hair, points: hair.as_flattened(), file: Some(HAIR) },
        TestBody { cells: of_ring, points: &ring, file: None },
        TestBody { cells: of_ball, points: &ball.positions, file: None },
    ];
    Run::of(&bodies, |x| Vec3::new(0.25 * x.y, 0.5 * x.x * x.x, x.z * x.z))
}

#[test]
fn rods_from_files_have_obj_pc2_and_mdd_with_the_vertices_of_the_file() {
    let run = run();
    for (format, ending) in [(Format::Pc2, "pc2"), (Format::Mdd, "mdd")] {
        let files = usual(&run, format);
        let in_file = |line: &&str| line.starts_with('v');
        assert_eq!(
            files.text("hair.obj").lines().filter(in_file).count(),
            7,
            "with the unused one"
        );
        let header = if format == Format::Pc2 { 32 } else { 8 + 3 * 4 };
        assert_eq!(files.of(&format!("hair.{ending}")).len(), header + 3 * 7 * 12);
    }
    let files = usual(&run, Format::Obj);
    let text = files.text("frame_000002.obj");
    let of_hair = text.split("o hair\n").nth(1).and_then(|rest| rest.split("o ring\n").next());
    let lines: Vec<&str> = of_hair.expect("an object").lines().collect();
    assert_eq!(lines[..3], ["usemtl hair", "v 0.0625 1 0", "v 0.125 2 0"]);
    // After the nine vertices of the sail.
    assert_eq!(lines[8..], ["l 11 13", "l 10 11", "l 14 15 16"]);
    assert!(files.text("materials.mtl").contains("newmtl hair"));
}

/// The value of the first attribute of this name in a prim.
fn attribute<'a>(text: &'a str, prim: &str, name: &str) -> &'a str {
    let inside = text.split(&format!("def Xform \"{prim}\"")).nth(1).expect("the prim");
    let inside = inside.split("    def Xform").next().expect("its text");
    let value = inside.split(&format!("{name} = ")).nth(1);
    value.unwrap_or_else(|| panic!("no {name} in {inside}")).lines().next().expect("a line")
}

/// Importers merge a transform with its only shape and keep the name of the shape.
#[test]
fn usd_names_the_only_shape_of_a_body_as_the_body() {
    let files = usual(&run(), Format::Usda);
    let text = files.text("scene.usda");
    assert!(text.contains("def Mesh \"sail\""), "{text}");
    for shape in ["Mesh \"surface\"", "BasisCurves \"edges\"", "BasisCurves \"loops\""] {
        assert!(!text.contains(shape), "{shape}");
    }
}

#[test]
fn usd_keeps_convex_polygons_and_texture_coordinates() {
    let files = usual(&run(), Format::Usda);
    let text = files.text("scene.usda");
    let of = |name: &str| attribute(text, "sail", name);
    // The square is whole; what the notch makes concave is cut.
    assert_eq!(of("faceVertexCounts"), "[4, 3, 3, 3]");
    assert_eq!(of("faceVertexIndices"), "[0, 3, 2, 1, 1, 2, 5, 1, 5, 4, 2, 6, 5]");
    // At the seam a vertex has two places in the texture.
    assert_eq!(of("primvars:st:indices"), "[0, 3, 2, 1, 4, 8, 6, 4, 6, 5, 8, 7, 6]");
    let pairs = "[(0, 0), (0.4, 0), (0.4, 0.4), (0, 0.4), (0.5, 0), (0.9, 0), (0.7, 0.2), (0.9, 0.4), (0.5, 0.4)] (";
    assert_eq!(of("primvars:st"), pairs);
}

/// The first square has the material of the body, the second, of three faces, that of the file.
#[test]
fn usd_binds_materials_of_the_file_to_subsets_of_faces() {
    let files = usual(&run(), Format::Usda);
    let text = files.text("scene.usda");
    let of = |name: &str| attribute(text, "sail", name);
    assert_eq!(of("subsetFamily:materialBind:familyType"), "\"nonOverlapping\"");
    let subset = text.split("def GeomSubset \"material_red_cloth\"").nth(1).expect("the subset");
    assert!(subset.contains("int[] indices = [1, 2, 3]\n"), "{subset}");
    assert!(subset.contains("rel material:binding = </run/sail/material_red_cloth>\n"), "{subset}");
    assert_eq!(text.matches("def GeomSubset").count(), 1, "other bodies have one material");
    assert!(text.contains("displayName = \"red cloth\""));
}

#[test]
fn gltf_has_a_primitive_for_each_material_of_the_file() {
    let files = usual(&run(), Format::Glb);
    let file = ::gltf::Gltf::from_slice(files.of("scene.glb")).expect("it is valid");
    let sail = file.meshes().find(|mesh| mesh.name() == Some("sail")).expect("the mesh");
    let blob = |_: ::gltf::Buffer<'_>| file.blob.as_deref();
    let primitives: Vec<(Option<&str>, usize, usize)> = sail
        .primitives()
        .map(|primitive| {
            let reader = primitive.reader(blob);
            let indices = reader.read_indices().expect("indices").into_u32().count();
            (primitive.material().name(), indices, reader.read_positions().expect("some").count())
        })
        .collect();
    // Both refer to the same nine vertices.
    assert_eq!(primitives, [(Some("sail"), 6, 9), (Some("red cloth"), 9, 9)]);
    let colors: Vec<[f32; 4]> = sail
        .primitives()
        .map(|p| p.material().pbr_metallic_roughness().base_color_factor())
        .collect();
    assert_eq!(colors[0], colors[1], "the first material of the file has the colour of the body");
    assert_eq!(file.materials().count(), 5);
}

#[test]
fn usd_writes_rods_as_curves_with_their_thickness() {
    let files = usual(&run(), Format::Usda);
    let text = files.text("scene.usda");
    assert_eq!(attribute(text, "hair", "curveVertexCounts"), "[3, 3]");
    assert_eq!(attribute(text, "hair", "wrap"), "\"nonperiodic\"");
    assert_eq!(attribute(text, "hair", "widths"), "[0.1] (");
    assert_eq!(attribute(text, "ring", "curveVertexCounts"), "[3]");
    assert_eq!(attribute(text, "ring", "wrap"), "\"periodic\"");
}

#[test]
fn usd_draws_single_particles_with_a_width() {
    let cells = BodyCells { name: "grain", points: &[0], ..BodyCells::default() };
    let run = Run::of(&[TestBody { cells, points: &[Vec3::ONE], file: None }], |x| x);
    let files = usual(&run, Format::Usda);
    let width = attribute(files.text("scene.usda"), "grain", "widths").to_owned();
    let number =
        width.trim_start_matches('[').split(']').next().and_then(|n| n.parse::<f64>().ok());
    assert!(number.is_some_and(|width| width > 0.0), "{width}");
}

#[test]
fn gltf_has_normals_and_texture_coordinates_per_shape() {
    let files = usual(&run(), Format::Glb);
    let file = ::gltf::Gltf::from_slice(files.of("scene.glb")).expect("it is valid");
    let blob = |_: ::gltf::Buffer<'_>| file.blob.as_deref();
    let primitive = |name: &str| {
        let mesh = file.meshes().find(|mesh| mesh.name() == Some(name)).expect("the mesh");
        mesh.primitives().next().expect("a primitive")
    };
    let sail = primitive("sail");
    let reader = sail.reader(blob);
    let vertices = reader.read_positions().expect("positions").count();
    // The two points at the seam are vertices of both sides.
    assert_eq!(vertices, 9);
    let pairs = reader.read_tex_coords(0).expect("texture coordinates").into_f32();
    assert!(pairs.clone().any(|pair| pair == [0.5, 1.0 - 0.4]), "from the upper left corner");
    let ball = primitive("ball");
    let reader = ball.reader(blob);
    let normals: Vec<[f32; 3]> = reader.read_normals().expect("normals").collect();
    assert_eq!(normals.len(), reader.read_positions().expect("positions").count());
    let shapes = reader.read_morph_targets();
    assert_eq!(shapes.len(), 2);
    for (_, changes, _) in shapes {
        let changes = changes.expect("normals of the shape");
        let lengths = normals.iter().zip(changes).map(|(normal, change)| {
            let sum = [0, 1, 2].map(|k| normal[k] + change[k]);
            sum.iter().map(|x| x * x).sum::<f32>()
        });
        let longest = lengths.fold(0.0_f32, |worst, length| worst.max((length - 1.0).abs()));
        assert!(longest < 1e-5, "{longest}");
    }
    let ring = primitive("ring");
    assert!(ring.reader(blob).read_normals().is_none(), "lines have none");
}
