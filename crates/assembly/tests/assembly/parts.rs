//! Bodies from parts of a mesh file.

use resile_assembly::mesh_file::{Group, Groups};
use resile_assembly::{Built, build};
use resile_math::Vec3;
use resile_mesh::generate::BoxGrid;
use resile_mesh::write::write_gmsh;
use resile_scene::description::Problem;
use resile_scene::text::SceneText;
use std::collections::BTreeSet;
use std::fs::File;
use tempfile::TempDir;

/// A bar of 4 m along x of two groups, `left` and `right`, which share nodes.
fn folder_with_bar() -> TempDir {
    let bar = BoxGrid { cells: [8, 4, 4], size: Vec3::new(4.0, 2.0, 2.0) }.build().expect("a grid");
    let group = |is_right: bool| {
        let is_chosen = |tet: &[u32; 4]| {
            (tet.iter().map(|&n| bar.positions[n as usize].x).sum::<f64>() > 0.0) == is_right
        };
        let elements = (0..).zip(&bar.tets).filter(|(_, tet)| is_chosen(tet));
        let elements: Vec<u32> = elements.map(|(index, _)| index).collect();
        let nodes = elements.iter().flat_map(|&e| bar.tets[e as usize]);
        let nodes: BTreeSet<u32> = nodes.collect();
        Group { nodes: nodes.into_iter().collect(), elements, faces: Vec::new() }
    };
    let groups: Groups = [("left", false), ("right", true)]
        .map(|(name, is_right)| (name.to_owned(), group(is_right)))
        .into();
    let folder = tempfile::tempdir().expect("there is space");
    let file = File::create(folder.path().join("bar.msh")).expect("the folder is writable");
    write_gmsh(&bar, &groups, file).expect("the folder is writable");
    folder
}

/// A scene of both parts, with further fields of both shapes and of the scene.
fn built(shape: &str, kind: &str, scene: &str) -> Result<Built, Vec<Problem>> {
    let folder = folder_with_bar();
    let body = |name: &str| {
        format!(
            "(name: \"{name}\", shape: Part(file: \"bar.msh\", group: \"{name}\"{shape}), material: \"m\", {kind})"
        )
    };
    let text = format!(
        "(version: 2, materials: {{\"m\": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3))}}, \
         bodies: [{}, {}], gravity: (0, 0, 0), time: (step: \"1/100\", duration: 1), {scene})",
        body("left"),
        body("right")
    );
    let scene = SceneText::new("scene.ron", text).load().expect("it is a scene").scene;
    build(&scene, folder.path())
}

const NEAR: &str = "contact: Barrier(d_hat: 1e-2)";

#[test]
fn groups_of_one_file_are_bodies_with_a_gap() {
    for kind in ["", "kind: Affine", "elements: Quadratic"] {
        let built = built(", gap: 0.02", kind, NEAR).unwrap_or_else(|e| panic!("{kind}: {e:?}"));
        let ends = [0, 1].map(|b| {
            let points = built.meshes[b].rest.iter().map(|x| x.x);
            points.fold([f64::INFINITY, f64::NEG_INFINITY], |[a, b], x| [a.min(x), b.max(x)])
        });
        let [[first, end], [start, last]] = ends;
        assert!((first + 2.0).abs().max((last - 2.0).abs()) < 1e-12, "{kind}: {first} {last}");
        assert!((start - end - 0.02).abs() < 1e-12, "{kind}: {start} {end}");
        let mass = built.world.mass_of(0);
        assert!((mass - 1000.0 * 4.0 * 1.99).abs() < 1e-6, "{kind}: {mass}");
    }
}

#[test]
fn parts_that_share_nodes_are_refused_with_the_remedies() {
    let errors = built("", "", NEAR).expect_err("they touch");
    assert_eq!(errors.len(), 1, "{errors:?}");
    for words in ["share nodes of the file", "`gap: 0.01` in both", "`group_materials`"] {
        assert!(errors[0].help.contains(words), "{}", errors[0].help);
    }
    // Bonded by a seam of the nodes that both have: of the one part, the group of the other.
    let seam = "contact: Barrier(d_hat: 1e-2, exclude: [(\"left\", \"right\")]), seams: [(\
                a: (body: \"left\", region: Group(\"right\")), b: (body: \"right\", region: Group(\"left\")), \
                stiffness: 1e4, closing_speed: 1)]";
    built("", "", seam).expect("it is good");
    built("", "", "contact: Off").expect("it is good");
}

#[test]
fn parts_that_a_file_does_not_have_are_refused() {
    let folder = folder_with_bar();
    let refused = |shape: &str| {
        let text = format!(
            "(version: 2, materials: {{\"m\": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3))}}, \
             bodies: [(name: \"one\", shape: {shape}, material: \"m\")], time: (step: \"1/100\", duration: 1))"
        );
        match SceneText::new("scene.ron", text).load() {
            Err(errors) => errors[0].to_string(),
            Ok(loaded) => {
                let errors =
                    build(&loaded.scene, folder.path()).expect_err("there is no such part");
                format!("{}: {} ({})", errors[0].path, errors[0].message, errors[0].help)
            }
        }
    };
    let group = refused("Part(file: \"bar.msh\", group: \"bolt\")");
    assert!(
        group.contains(
            "shape.group: the mesh has no group \"bolt\" (there are \"left\", \"right\")"
        ),
        "{group}"
    );
    let piece = refused("Part(file: \"bar.msh\", piece: 1)");
    assert!(piece.contains("1 connected pieces") && piece.contains("shape.piece"), "{piece}");
    let neither = refused("Part(file: \"bar.msh\")");
    assert!(neither.contains("neither a group nor a piece"), "{neither}");
    let both = refused("Part(file: \"bar.msh\", piece: 0, group: \"left\")");
    assert!(both.contains("both a group and a piece"), "{both}");
}
