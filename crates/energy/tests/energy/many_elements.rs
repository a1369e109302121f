//! Energies of more elements than are added one by one: the sum of smaller ones, with the same
//! bits for any number of threads.

use crate::common::*;
use rayon::ThreadPoolBuilder;
use resile_energy::{
    Pressure, Schedule, SpringElement, SpringLaw, Springs, Torsion, TorsionElement, VolumeSprings,
};
use resile_math::{Mat3, Vec3};
use resile_mesh::generate::Icosphere;
use resile_system::{Energy, Psd};

/// How many elements a part has: few enough to be added one by one.
const PART: usize = 200;

/// A large energy, and energies whose sum it is.
struct Case {
    name: &'static str,
    whole: Box<dyn Energy>,
    parts: Vec<Box<dyn Energy>>,
}

fn case<E: Energy + 'static, T: Clone>(
    name: &'static str,
    elements: &[T],
    make: impl Fn(&[T]) -> E,
) -> Case {
    assert!(elements.len() > 512, "{name}: {} elements", elements.len());
    let part = |part: &[T]| -> Box<dyn Energy> { Box::new(make(part)) };
    Case { name, whole: Box::new(make(elements)), parts: elements.chunks(PART).map(part).collect() }
}

/// Springs, volume springs and torsion springs over one grid.
fn cases(rest: &[Vec3], tets: &[[u32; 4]]) -> [Case; 3] {
    let nodes = |tet: &[u32; 4]| tet.map(|node| node as usize);
    let spring = |tet: &[u32; 4]| SpringElement::at_rest([nodes(tet)[2], nodes(tet)[0]], rest, 3.0);
    let springs: Vec<_> = tets.iter().map(spring).collect();
    let torsion = |tet: &[u32; 4]| TorsionElement::at_rest(nodes(tet), rest, 2.0);
    let torsions: Vec<_> = tets.iter().map(torsion).collect();
    [
        case("springs", &springs, |part| {
            Springs::new(rest.len(), part.to_vec(), SpringLaw::Hooke).expect("in order")
        }),
        case("torsion", &torsions, |part| {
            Torsion::new(rest.len(), part.to_vec()).expect("in order")
        }),
        case("volumes", tets, |part| VolumeSprings::new(rest, part, 5.0).expect("in order")),
    ]
}

#[test]
fn many_elements_are_the_sum_of_fewer() {
    let (rest, tets) = grid(5, 5, 4);
    let x = deformed(&rest, Mat3::from_diagonal(Vec3::new(1.2, 0.9, 1.1)), 0.1);
    for Case { name, whole, parts } in cases(&rest, &tets) {
        let value: f64 = parts.iter().map(|part| part.value(0.0, &x)).sum();
        assert!((whole.value(0.0, &x) - value).abs() < 1e-13 * value && value > 0.0, "{name}");
        let mut expected = vec![Vec3::ZERO; rest.len()];
        parts.iter().for_each(|part| part.add_gradient(0.0, &x, 1.0, &mut expected));
        let actual = gradient(&*whole, &x);
        let largest = expected.iter().map(|g| g.length()).fold(0.0, f64::max);
        let off = actual.iter().zip(&expected).map(|(a, b)| a.distance(*b)).fold(0.0, f64::max);
        assert!(off < 1e-13 * largest, "{name}: {off}");
        for psd in [Psd::Exact, Psd::Clamp] {
            let actual = hessian(&*whole, &x, psd);
            let rest =
                parts.iter().fold(actual.clone(), |rest, part| rest - hessian(&**part, &x, psd));
            assert!(rest.amax() < 1e-12 * actual.amax(), "{name}");
        }
    }
}

#[test]
fn pressure_behind_many_triangles_is_their_volume_and_its_derivative() {
    let mesh = Icosphere { radius: 1.0, subdivisions: 3 }.build().expect("a sphere");
    assert!(mesh.triangles.len() > 512);
    let x = deformed(&mesh.positions, Mat3::from_diagonal(Vec3::new(1.2, 0.9, 1.1)), 0.02);
    let schedule = Schedule::constant(1.0);
    let pressure = Pressure::new(x.len(), &mesh.triangles, 7.0, schedule).expect("closed");
    let corners = |t: &[u32; 3]| t.map(|node| x[node as usize]);
    let volume: f64 =
        mesh.triangles.iter().map(corners).map(|[a, b, c]| a.dot(b.cross(c)) / 6.0).sum();
    assert!((pressure.value(0.0, &x) + 7.0 * volume).abs() < 1e-12 * volume);
    let mut expected = vec![Vec3::ZERO; x.len()];
    for triangle in &mesh.triangles {
        let [a, b, c] = corners(triangle);
        triangle.iter().for_each(|&i| expected[i as usize] -= (b - a).cross(c - a) * (7.0 / 6.0));
    }
    let actual = gradient(&pressure, &x);
    assert!(actual.iter().zip(&expected).all(|(a, b)| a.abs_diff_eq(*b, 1e-13)));
}

#[test]
fn many_elements_are_bitwise_equal_for_any_number_of_threads() {
    let (rest, tets) = grid(5, 5, 4);
    let x = deformed(&rest, Mat3::from_diagonal(Vec3::new(1.2, 0.9, 1.1)), 0.1);
    for Case { name, whole, .. } in cases(&rest, &tets) {
        let all = |threads: usize| {
            let pool = ThreadPoolBuilder::new().num_threads(threads).build().expect("threads");
            pool.install(|| {
                (whole.value(0.0, &x), gradient(&*whole, &x), hessian(&*whole, &x, Psd::Clamp))
            })
        };
        let one = all(1);
        assert!([2, 3].iter().all(|&threads| all(threads) == one), "{name}");
    }
}
