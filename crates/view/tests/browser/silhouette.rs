//! What the page covers with bodies is what the software renderer covers, seen by one camera.

use super::driver::{Browser, Screen, url};
use super::support::{Names, Run, time};
use glam::{DVec3, Vec3};
use resile_record::{Playback, PlayedBody, Role};
use resile_render::{Camera, Lamps, Mesh, Paint, Scene, Section, Stage, draw};

/// What is covered of a picture, row after row from the top.
struct Mask {
    width: usize,
    covered: Vec<bool>,
}

impl Mask {
    /// Whether all pixels around a pixel, itself included, are alike.
    fn is_inside(&self, pixel: usize) -> bool {
        let [x, y] = [pixel % self.width, pixel / self.width];
        let rows = y.saturating_sub(1)..(y + 2).min(self.covered.len() / self.width);
        let columns = x.saturating_sub(1)..(x + 2).min(self.width);
        let all = rows.flat_map(|y| columns.clone().map(move |x| y * self.width + x));
        all.into_iter().all(|other| self.covered[other] == self.covered[pixel])
    }
}

/// What triangles cover in the page: planes, lines and points are left out.
fn of_page(browser: &mut Browser, frame: usize) -> (Mask, Camera) {
    browser.evaluate(&format!("resile.seek({})", time(frame)));
    let seen = browser.evaluate(
        "(() => {
            const { picture, camera, look } = resile;
            Object.assign(picture.contents, { planes: [], points: new Uint32Array(0) });
            picture.geometry.ribbons.count = 0;
            resile.drawn = NaN;
            resile.tick(0);
            picture.draw(camera, look);
            const { gl, canvas: { width, height } } = picture;
            const pixels = new Uint8Array(4 * width * height);
            gl.readPixels(0, 0, width, height, gl.RGBA, gl.UNSIGNED_BYTE, pixels);
            let covered = '';
            for (let y = height - 1; y >= 0; y--) {
                for (let x = 0; x < width; x++) {
                    const off = [0, 1, 2].some((k) => Math.abs(pixels[4 * (y * width + x) + k] - 255 * look.background[k]) > 1);
                    covered += off ? '#' : '.';
                }
            }
            const { right, up, back } = camera.axes();
            return { width, covered, vectors: [camera.eye(), right, up, back], tangent: camera.tangent };
        })()",
    );
    let vector = |n: usize| {
        DVec3::from([0, 1, 2].map(|k| seen["vectors"][n][k].as_f64().expect("a number")))
    };
    let camera = Camera {
        eye: vector(0),
        right: vector(1),
        up: vector(2),
        forward: -vector(3),
        tangent: seen["tangent"].as_f64().expect("a number"),
    };
    let width = seen["width"].as_u64().expect("a number") as usize;
    let covered = seen["covered"].as_str().expect("text").bytes().map(|b| b == b'#').collect();
    (Mask { width, covered }, camera)
}

fn mesh(body: &PlayedBody, positions: &[[f32; 3]]) -> Mesh {
    let positions: Vec<Vec3> = positions.iter().map(|&p| p.into()).collect();
    let paint = Paint::Plain(Vec3::new(0.9, 0.02, 0.02));
    let is_solid = body.encloses_solid(&positions.iter().map(|p| p.to_array()).collect::<Vec<_>>());
    Mesh { is_solid, ..Mesh::flat(positions, &body.triangles, paint) }
}

/// What triangles cover in the picture of the software renderer.
fn of_renderer(
    run: &Playback,
    frame: usize,
    camera: &Camera,
    section: Option<Section>,
    size: [usize; 2],
) -> Mask {
    let frame = run.frame(frame).expect("it can be read");
    let still = run.still().iter().filter(|part| part.body.role == Role::Obstacle);
    let still = still.map(|part| mesh(&part.body, &part.positions));
    let moving = run.bodies().iter().map(|body| mesh(body, &frame.positions));
    let scene = |meshes| Scene {
        meshes,
        planes: Vec::new(),
        lamps: Lamps { up: Vec3::Y, sun: Vec3::new(0.6, 0.8, 0.0) },
        stage: Stage { center: Vec3::ZERO, radius: 1.0 },
        edges: false,
        section,
    };
    let [with, without] =
        [moving.chain(still).collect(), Vec::new()].map(|all| draw(&scene(all), camera, size));
    let covered = with.rgb().zip(without.rgb()).map(|(a, b)| a != b).collect();
    Mask { width: size[0], covered }
}

#[test]
fn page_and_software_renderer_draw_the_same_silhouette() {
    let Some(mut browser) = Browser::start() else { return };
    let run = Run::new(&Names::default());
    let page = run.folder.path().join("view.html");
    std::fs::write(&page, run.page().0).expect("the folder can be written");
    let run = Playback::open(run.folder.path()).expect("it was written");
    browser.open(&url(&page), Screen::default());
    for (frame, turn) in [(0, [0.0, 0.0]), (33, [0.8, 0.3]), (69, [2.0, -0.2])] {
        browser.evaluate(&format!("resile.camera.turn({}, {})", turn[0], turn[1]));
        assert_same_silhouette(&mut browser, &run, frame, None);
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

#[test]
fn page_and_software_renderer_cut_the_same_sections() {
    let Some(mut browser) = Browser::start() else { return };
    let run = Run::new(&Names::default());
    let page = run.folder.path().join("view.html");
    std::fs::write(&page, run.page().0).expect("the folder can be written");
    let run = Playback::open(run.folder.path()).expect("it was written");
    browser.open(&url(&page), Screen::default());
    browser.press("p");
    for (frame, turn) in [(0, [0.0, 0.0]), (33, [0.8, 0.3])] {
        browser.evaluate(&format!("resile.camera.turn({}, {})", turn[0], turn[1]));
        browser.press("x");
        browser.press("]");
        let plane = browser.evaluate("[...resile.look.section.normal, resile.look.section.offset]");
        let [x, y, z, offset] = [0, 1, 2, 3].map(|k| plane[k].as_f64().expect("a number") as f32);
        let section = Section { normal: Vec3::new(x, y, z), offset };
        assert_same_silhouette(&mut browser, &run, frame, Some(section));
    }
    assert_eq!(browser.complaints(), [""; 0]);
}

/// Compares the pixels that triangles cover, by the present camera and section of the page.
fn assert_same_silhouette(
    browser: &mut Browser,
    run: &Playback,
    frame: usize,
    section: Option<Section>,
) {
    let (page, camera) = of_page(browser, frame);
    let size = [page.width, page.covered.len() / page.width];
    let renderer = of_renderer(run, frame, &camera, section, size);
    let covered = renderer.covered.iter().filter(|&&covered| covered).count();
    assert!(covered * 50 > page.covered.len(), "{covered} pixels are something to compare");
    // Each has its own places in a pixel at which it looks, so edges may be a pixel off.
    let differs = |&k: &usize| page.covered[k] != renderer.covered[k];
    let wrong = (0..page.covered.len()).filter(differs).filter(|&k| renderer.is_inside(k));
    let places: Vec<_> = wrong.map(|k| [k % size[0], k / size[0]]).collect();
    assert!(places.is_empty(), "frame {frame}: {} pixels, {places:?}", places.len());
}
