//! glTF, read by the crate `gltf`, which checks indices and references, and played here.

use crate::support::{Files, NAMES, Run, export, usual};
use ::gltf::animation::util::ReadOutputs;
use resile_export::{ExportError, ExportOptions, Format, Up};
use resile_math::{Quat, Vec3};

/// Where the vertices of a node are at a key of the animation, and when that is.
fn played(file: &::gltf::Gltf, node: &::gltf::Node<'_>, key: usize) -> (f32, Vec<Vec3>) {
    let blob = |_: ::gltf::Buffer<'_>| file.blob.as_deref();
    let (mut center, mut turn, _) = node.transform().decomposed();
    let (mut weights, mut time) = (Vec::new(), 0.0);
    for animation in file.animations() {
        let own = animation.channels().filter(|c| c.target().node().index() == node.index());
        for channel in own {
            let reader = channel.reader(blob);
            time = reader.read_inputs().expect("times").nth(key).expect("a key");
            let keys = channel.sampler().input().count();
            match reader.read_outputs().expect("values") {
                ReadOutputs::Translations(mut all) => center = all.nth(key).expect("a key"),
                ReadOutputs::Rotations(all) => turn = all.into_f32().nth(key).expect("a key"),
                ReadOutputs::MorphTargetWeights(all) => {
                    let all: Vec<f32> = all.into_f32().collect();
                    let count = all.len() / keys;
                    weights = all[count * key..][..count].to_vec();
                }
                ReadOutputs::Scales(_) => panic!("nothing is scaled"),
            }
        }
    }
    let primitive = node.mesh().expect("a mesh").primitives().next().expect("a primitive");
    let reader = primitive.reader(blob);
    let vector = |p: [f32; 3]| Vec3::from_array(p.map(f64::from));
    let mut positions: Vec<Vec3> =
        reader.read_positions().expect("positions").map(vector).collect();
    for (weight, (target, _, _)) in weights.iter().zip(reader.read_morph_targets()) {
        for (position, shift) in positions.iter_mut().zip(target.expect("positions")) {
            *position += f64::from(*weight) * vector(shift);
        }
    }
    let turn = Quat::from_array(turn.map(f64::from));
    (time, positions.into_iter().map(|p| turn * p + vector(center)).collect())
}

#[test]
fn glb_animation_equals_the_recorded_motion() {
    let run = Run::usual();
    let files = usual(&run, Format::Glb);
    let file = ::gltf::Gltf::from_slice(files.of("scene.glb")).expect("it is valid");
    let nodes: Vec<_> = file.default_scene().expect("a scene").nodes().collect();
    let names: Vec<_> = nodes.iter().map(|node| node.name().expect("a name")).collect();
    assert_eq!(names, NAMES);
    let mut worst: f64 = 0.0;
    for (part, node) in nodes.iter().enumerate() {
        for key in [0, 1, 5, 8] {
            let (time, positions) = played(&file, node, key);
            let expected = run.positions(part, key);
            assert_eq!(positions.len(), expected.len());
            assert!(part > 3 || time == key as f32 / 16.0, "{time}");
            for (a, b) in positions.iter().zip(expected) {
                worst = worst.max((*a - Vec3::from_array(b.map(f64::from))).length());
            }
        }
    }
    assert!(worst < 5e-7, "{worst}");
}

#[test]
fn rigid_bodies_become_node_animations_and_others_morph_targets() {
    let run = Run::usual();
    let files = usual(&run, Format::Glb);
    let file = ::gltf::Gltf::from_slice(files.of("scene.glb")).expect("it is valid");
    let shapes: Vec<usize> = file
        .meshes()
        .map(|mesh| mesh.primitives().next().expect("a primitive").morph_targets().len())
        .collect();
    assert_eq!(shapes, [0, 8, 8, 0, 0, 0]);
    let colors: Vec<_> =
        file.materials().map(|m| m.pbr_metallic_roughness().base_color_factor()).collect();
    assert_eq!(colors[3], colors[5], "obstacles and planes have one colour");
    let blue = resile_record::palette::srgb(0x004c_78a8);
    assert_eq!(colors[0][..3], blue);
    let modes: Vec<_> =
        file.meshes().nth(2).expect("the net").primitives().map(|p| p.mode()).collect();
    assert_eq!(modes, [::gltf::mesh::Mode::Lines, ::gltf::mesh::Mode::Points]);
    let still = usual(&Run::new(&[0.0]), Format::Glb);
    let still = ::gltf::Gltf::from_slice(still.of("scene.glb")).expect("it is valid");
    assert_eq!((still.animations().count(), still.nodes().count()), (0, 6));
}

#[test]
fn gltf_rejects_unsupported_requests() {
    let run = Run::usual();
    let changes = [
        ExportOptions { up: Some(Up::Z), ..ExportOptions::default() },
        ExportOptions { scale: 100.0, ..ExportOptions::default() },
    ];
    for options in changes {
        let refused = export(&run, Format::Glb, &options).expect_err("it is refused");
        assert!(matches!(refused, ExportError::Format { .. }), "{refused}");
        assert!(refused.to_string().contains("leave --"), "{refused}");
    }
}

/// Frames of natural modes show one shape each, mostly of different bodies, and nothing is between them.
#[test]
fn mode_shapes_do_not_blend_into_each_other() {
    let run = Run::usual();
    let interpolations = |run: &Run| -> Vec<_> {
        let files = usual(run, Format::Glb);
        let file = ::gltf::Gltf::from_slice(files.of("scene.glb")).expect("it is valid");
        let samplers = file.animations().flat_map(|animation| {
            animation.samplers().map(|sampler| sampler.interpolation()).collect::<Vec<_>>()
        });
        samplers.collect()
    };
    use ::gltf::animation::Interpolation::{Linear, Step};
    let linear = interpolations(&run);
    assert!(!linear.is_empty() && linear.iter().all(|way| *way == Linear));
    let moving = usual(&run, Format::Usda);
    let modes = run.playback().folder().modes();
    std::fs::write(modes, "mode,time,body,frequency\n").expect("the folder can be written");
    let step = interpolations(&run);
    assert!(step.len() == linear.len() && step.iter().all(|way| *way == Step));
    // In USD each shape is repeated just before the next.
    let shapes = usual(&run, Format::Usda);
    let samples = |files: &Files, code: &str| -> Vec<String> {
        let text = files.text("scene.usda");
        let lines = text.lines().map(str::trim_start);
        let values = lines.filter_map(|line| line.strip_prefix(&format!("{code}: ")));
        values.map(str::to_owned).collect()
    };
    assert!(samples(&moving, "0.999").is_empty());
    let held = samples(&shapes, "0.999");
    assert!(!held.is_empty() && held == samples(&shapes, "0"));
    assert_ne!(held, samples(&shapes, "1"));
}
