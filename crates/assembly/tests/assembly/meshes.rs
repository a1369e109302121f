//! Reports on mesh files.

use resile_assembly::mesh_file::{Groups, OtherSolidPolicy};
use resile_assembly::remesh::{Existing, Remesh};
use resile_mesh::generate::Ball;
use resile_mesh::write::write_gmsh_quadratic;
use std::f64::consts::PI;
use std::fs::File;

/// With curved edges a ball of two layers has its volume up to 0.3 %, with straight ones up to 10 %.
#[test]
fn volumes_of_curved_solids_are_those_of_their_elements() {
    let folder = tempfile::tempdir().expect("there is space");
    let path = |name: &str| folder.path().join(name);
    let ball = Ball { radius: 1.0, layers: 2 };
    let linear = ball.build().expect("it is a ball");
    let curved = linear.quadratic_with_curved_edges(&ball.curved_edges(&linear));
    let file = File::create(path("ball.msh")).expect("the folder is writable");
    write_gmsh_quadratic(&curved, &Groups::new(), file).expect("the folder is writable");
    let volumes = |output: &str| {
        let remesh = Remesh {
            input: path("ball.msh"),
            output: path(output),
            resolution: None,
            grade: None,
            creases: None,
            repair: false,
            others: OtherSolidPolicy::Refuse,
            existing: Existing::Refuse,
        };
        let remeshed = remesh.run().expect("it is converted");
        [remeshed.input.volume(), remeshed.output.volume()].map(|v| v.expect("it is closed"))
    };
    let exact = 4.0 / 3.0 * PI;
    let [before, after] = volumes("ball.vtu");
    assert!((before / exact - 1.0).abs() < 3e-3, "{before}");
    assert_eq!(after, before, "the format keeps curved edges");
    for straight in ["ball.mesh", "ball.obj"] {
        let [before, after] = volumes(straight);
        assert!((before / exact - 1.0).abs() < 3e-3, "{before}");
        assert!((after / linear.volume() - 1.0).abs() < 1e-12, "{straight}: {after}");
    }
    assert!(linear.volume() < 0.95 * exact);
}
