//! Pictures against exact geometry.

use glam::{DVec3, Vec3};
use resile_mesh::{Creases, FaceList};
use resile_render::{Camera, Image, Lamps, Mesh, Paint, Plane, Scene, Section, Stage, draw};
use std::f32::consts::PI;

const SIZE: [usize; 2] = [320, 200];
const ANGLE: f64 = 0.8;

/// A camera at `(0, 0, 5)` that looks at the origin.
fn camera() -> Camera {
    Camera::looking_at(DVec3::new(0.0, 0.0, 5.0), DVec3::ZERO, DVec3::Y, ANGLE)
}

fn scene(meshes: Vec<Mesh>, planes: Vec<Plane>) -> Scene {
    let lamps = Lamps { up: Vec3::Y, sun: Vec3::new(-0.36, 0.8, 0.48) };
    Scene {
        meshes,
        planes,
        lamps,
        stage: Stage { center: Vec3::ZERO, radius: 2.0 },
        edges: false,
        section: None,
    }
}

fn red() -> Paint {
    Paint::Plain(Vec3::new(0.9, 0.05, 0.05))
}

/// A ball of triangles, each of its points on the sphere.
fn ball(center: Vec3, radius: f32) -> Mesh {
    const RINGS: u32 = 48;
    let point = |k: u32| {
        let (ring, side) = (k / (2 * RINGS), k % (2 * RINGS));
        let (level, height) = (PI * ring as f32 / RINGS as f32).sin_cos();
        let (sin, cos) = (PI * side as f32 / RINGS as f32).sin_cos();
        center + radius * Vec3::new(level * sin, height, level * cos)
    };
    let positions: Vec<Vec3> = (0..(RINGS + 1) * 2 * RINGS).map(point).collect();
    let square = |k: u32| {
        let (ring, side) = (k / (2 * RINGS), k % (2 * RINGS));
        let at = |r: u32, s: u32| (ring + r) * 2 * RINGS + (side + s) % (2 * RINGS);
        [[at(1, 0), at(1, 1), at(0, 1)], [at(1, 0), at(0, 1), at(0, 0)]]
    };
    let triangles: Vec<[u32; 3]> = (0..RINGS * 2 * RINGS).flat_map(square).collect();
    let places: Vec<_> = positions.iter().map(|p| p.as_dvec3()).collect();
    let creases = Creases::find(&places, &FaceList::of_triangles(&triangles));
    Mesh::smooth(positions, &creases, red())
}

/// A square across the view, with its centre at `center`.
fn square(center: Vec3, half: f32, paint: Paint) -> Mesh {
    let corners = [[-half, -half], [half, -half], [half, half], [-half, half]];
    let positions = corners.map(|[x, y]| center + Vec3::new(x, y, 0.0)).to_vec();
    Mesh::flat(positions, &[[0, 1, 2], [0, 2, 3]], paint)
}

/// Numbers of the pixels that are not as in a picture without bodies.
fn covered(image: &Image) -> Vec<[usize; 2]> {
    let empty = draw(&scene(vec![], vec![]), &camera(), [image.width, image.height]);
    let differs = |&(_, (a, b)): &(usize, ([u8; 3], [u8; 3]))| a != b;
    let pixels = image.rgb().zip(empty.rgb()).enumerate().filter(differs);
    pixels.map(|(k, _)| [k % image.width, k / image.width]).collect()
}

/// Pixels of a metre at the distance of a metre.
fn focal() -> f64 {
    0.5 * SIZE[1] as f64 / (0.5 * ANGLE).tan()
}

#[test]
fn ball_is_drawn_as_a_disc_of_exact_size() {
    let image = draw(&scene(vec![ball(Vec3::ZERO, 1.0)], vec![]), &camera(), SIZE);
    // The cone of rays that touch the ball.
    let radius = focal() / (25.0_f64 - 1.0).sqrt();
    let [x, y] = [0.5 * SIZE[0] as f64, 0.5 * SIZE[1] as f64];
    let covered = covered(&image);
    let out = |&[a, b]: &[usize; 2]| (a as f64 + 0.5 - x).hypot(b as f64 + 0.5 - y);
    assert!(covered.iter().all(|p| out(p) < radius + 0.8), "nothing is beside the disc");
    let inside = (0..SIZE[0] * SIZE[1]).map(|k| [k % SIZE[0], k / SIZE[0]]);
    let inside = inside.filter(|p| out(p) < radius - 1.0).count();
    let whole = covered.iter().filter(|p| out(p) < radius - 1.0).count();
    assert_eq!(whole, inside, "there is no hole in it");
    assert!(inside > 4000, "{inside}");
}

#[test]
fn square_covers_exactly_its_pixels() {
    // 31.5 by 31.5 pixels about (144, 84).
    let metre = focal() / 5.0;
    let center = Vec3::new((-16.0 / metre) as f32, (16.0 / metre) as f32, 0.0);
    let half = (15.75 / metre) as f32;
    let image = draw(&scene(vec![square(center, half, red())], vec![]), &camera(), SIZE);
    let covered = covered(&image);
    let expected: Vec<[usize; 2]> =
        (68..100).flat_map(|y| (128..160).map(move |x| [x, y])).collect();
    assert_eq!(covered, expected);
    // Edges are a quarter of a pixel off: those pixels are mixed.
    let [edge, inside] = [image.pixel(128, 80), image.pixel(140, 80)];
    assert!(edge[1] > inside[1] + 10, "{edge:?} is lighter than {inside:?}");
}

#[test]
fn nearer_bodies_hide_farther_ones_in_any_order() {
    let blue = Paint::Plain(Vec3::new(0.05, 0.05, 0.9));
    let near = square(Vec3::new(0.2, 0.1, 1.0), 0.3, red());
    let far = square(Vec3::new(0.0, 0.0, -1.0), 1.2, blue);
    let one = draw(&scene(vec![near.clone(), far.clone()], vec![]), &camera(), SIZE);
    let other = draw(&scene(vec![far, near], vec![]), &camera(), SIZE);
    assert_eq!(one, other);
    let [x, y, _] = camera().project(DVec3::new(0.2, 0.1, 1.0), SIZE).expect("it is seen");
    let [r, _, b] = one.pixel(x as usize, y as usize);
    assert!(r > b, "the near one is in front");
}

#[test]
fn ambient_occlusion_darkens_contact_only() {
    let floor = Plane { point: Vec3::NEG_Y, normal: Vec3::Y };
    let camera = Camera::looking_at(DVec3::new(0.0, 2.0, 6.0), DVec3::NEG_Y, DVec3::Y, ANGLE);
    let look = |height: f32| {
        let ball = ball(Vec3::new(0.0, height, 0.0), 0.5);
        let image = draw(&scene(vec![ball], vec![floor]), &camera, SIZE);
        let [x, y, _] = camera.project(DVec3::new(0.0, -1.0, 0.2), SIZE).expect("it is seen");
        let [far, ..] = image.pixel(20, y as usize);
        (image.pixel(x as usize, y as usize)[0], far)
    };
    let (touching, open) = look(-0.49);
    let (above, _) = look(1.0);
    assert!(touching < 150, "the ground at the foot of the ball: {touching}");
    assert!(above > touching + 60 && open > 225, "{above} below a high ball, {open} in the open");
}

#[test]
fn value_colours_equal_the_colour_bar_for_any_orientation() {
    let value = Vec3::new(0.1, 0.4, 0.3);
    let mut meshes = vec![ball(Vec3::ZERO, 1.0)];
    meshes[0].paint = Paint::Points(vec![value; meshes[0].positions.len()]);
    let image = draw(&scene(meshes, vec![]), &camera(), SIZE);
    let expected = value.to_array().map(resile_render::color::encoded);
    for [x, y] in [[160, 100], [160, 70], [160, 130], [135, 100], [185, 110]] {
        assert_eq!(image.pixel(x, y)[..3], expected, "at {x}, {y}");
    }
}

#[test]
fn edge_overlay_changes_only_pixels_at_edges() {
    let picture = |edges: bool| {
        let meshes = vec![square(Vec3::ZERO, 1.0, red())];
        draw(&Scene { edges, ..scene(meshes, vec![]) }, &camera(), SIZE)
    };
    let (with, without) = (picture(true), picture(false));
    // The diagonal of the square goes through the middle of the picture.
    let [middle, aside] = [[160, 99], [150, 99]];
    let red = |image: &Image, [x, y]: [usize; 2]| image.pixel(x, y)[0];
    assert!(f32::from(red(&with, middle)) < 0.8 * f32::from(red(&without, middle)));
    assert_eq!(red(&with, aside), red(&without, aside));
}

/// Where the section is, the camera looks along its normal.
fn cut(meshes: Vec<Mesh>) -> Image {
    let section = Some(Section { normal: Vec3::Z, offset: 0.0 });
    draw(&Scene { section, ..scene(meshes, vec![]) }, &camera(), SIZE)
}

#[test]
fn section_shows_an_evenly_lit_disc_in_a_solid_ball() {
    let ball = |is_solid: bool| Mesh { is_solid, ..ball(Vec3::ZERO, 1.0) };
    let image = cut(vec![ball(true)]);
    let middle = image.pixel(160, 100);
    for [x, y] in [[160, 70], [160, 130], [135, 100], [185, 110]] {
        assert_eq!(image.pixel(x, y), middle, "at {x}, {y}");
    }
    // The disc has the radius of the ball, but is farther from the camera than its outline.
    let [cut_area, whole_area] = [image, draw(&scene(vec![ball(true)], vec![]), &camera(), SIZE)]
        .map(|image| covered(&image).len());
    assert!(cut_area < whole_area && 10 * cut_area > 9 * whole_area, "{cut_area} {whole_area}");
    // The inside of a surface that encloses no solid is not filled.
    let shell = cut(vec![ball(false)]);
    assert_ne!(shell.pixel(160, 70), shell.pixel(160, 130));
}

#[test]
fn section_shows_the_cavity_of_a_hollow_ball() {
    let [outer, mut inner] = [1.0, 0.5].map(|radius| ball(Vec3::ZERO, radius));
    inner.triangles.iter_mut().for_each(|t| t.points.reverse());
    inner.normals.iter_mut().for_each(|normal| *normal = -*normal);
    let solid = |mesh: Mesh| Mesh { is_solid: true, ..mesh };
    let (whole, hollow) = (cut(vec![solid(outer.clone())]), cut(vec![solid(outer), solid(inner)]));
    assert_ne!(whole.pixel(160, 100), hollow.pixel(160, 100), "in the cavity");
    assert_eq!(whole.pixel(160, 65), hollow.pixel(160, 65), "in the wall");
}

#[test]
fn section_leaves_nothing_of_a_body_beyond_it() {
    let image = cut(vec![ball(Vec3::new(0.0, 0.0, 2.0), 1.0)]);
    assert_eq!(covered(&image).len(), 0);
}

#[test]
fn picture_has_equal_bits_for_any_number_of_threads() {
    let floor = Plane { point: Vec3::NEG_Y, normal: Vec3::Y };
    let scene = scene(vec![ball(Vec3::ZERO, 0.8), ball(Vec3::X, 0.3)], vec![floor]);
    let with = |threads: usize| {
        let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build();
        pool.expect("threads can be started").install(|| draw(&scene, &camera(), [150, 101]))
    };
    assert_eq!(with(1), with(4));
}

#[test]
fn camera_inside_a_body_sees_back_faces() {
    let image = draw(&scene(vec![ball(Vec3::new(0.0, 0.0, 5.0), 1.0)], vec![]), &camera(), SIZE);
    assert_eq!(covered(&image).len(), SIZE[0] * SIZE[1]);
}
