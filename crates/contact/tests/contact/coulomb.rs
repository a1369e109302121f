//! Coulomb's law: what slides is held back by mu times what presses.

use crate::common::{FRICTION, SETTINGS, arrange, cube, relaxed_residual, rotation};
use resile_contact::{
    Candidates, CollisionMesh, CollisionScene, Contact, Friction, HessianBlocks, LaggedContacts,
    Plane,
};
use resile_system::DissipationFrame;
use resile_system::{
    Body, Coupling, CouplingDissipationPotential, Dissipation, DissipationPotential, Energy,
    Hessian, Mat3, Path, Psd, Rounds, State, System, Vec3,
};
use std::sync::Arc;

const MU: f64 = 0.37;

/// A cube a little above a plane, both tilted.
fn pressed() -> (CollisionScene, Vec<Vec3>, Vec3) {
    let (rest, triangles) = cube(3);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let tilt = rotation(Vec3::new(0.2, 0.0, -0.3));
    let normal = tilt(Vec3::Y);
    let plane = Plane { point: Vec3::ZERO, normal, collider: 1 };
    let x = rest.iter().map(|p| tilt(*p + Vec3::Y * 0.04)).collect();
    (arrange(&[surface], vec![plane], vec![], MU), x, normal)
}

/// Sum over nodes of the forces of the barrier at `x`.
fn push(scene: &CollisionScene, x: &[Vec3]) -> Vec3 {
    let mut contact = Contact::new(scene.clone(), SETTINGS);
    contact.search(&[Path::at(x)]);
    let mut gradient = vec![Vec3::ZERO; x.len()];
    contact.add_gradient(0.0, x, 1.0, &mut gradient);
    -gradient.iter().sum::<Vec3>()
}

/// Sum over nodes of the forces of friction while all move at `v`.
fn drag(scene: &CollisionScene, x: &[Vec3], v: Vec3) -> Vec3 {
    let friction = Friction::new(scene.clone(), SETTINGS, FRICTION).at(x, &[]);
    let mut gradient = vec![Vec3::ZERO; x.len()];
    friction.add_gradient(0.0, &vec![v; x.len()], 1.0, &mut gradient);
    -gradient.iter().sum::<Vec3>()
}

#[test]
fn what_slides_is_held_back_by_mu_times_the_normal_force() {
    let (scene, x, normal) = pressed();
    let pressing = push(&scene, &x).dot(normal);
    assert!(pressing > 1.0, "{pressing} N");
    for direction in [Vec3::X, Vec3::Z, Vec3::new(-1.0, 0.3, 2.0)] {
        let along = (direction - normal * direction.dot(normal)).normalize();
        for times in [1.0, 1.5, 100.0] {
            let force = drag(&scene, &x, along * (FRICTION.slip_speed * times));
            let expected = -along * (MU * pressing);
            assert!(
                (force - expected).length() < 1e-12 * expected.length(),
                "{force} is not {expected}"
            );
        }
    }
}

#[test]
fn below_the_slip_speed_it_is_less_and_in_proportion_to_slow_speeds() {
    let (scene, x, normal) = pressed();
    let along = (Vec3::X - normal * normal.x).normalize();
    let most = MU * push(&scene, &x).dot(normal);
    let of =
        |times: f64| -drag(&scene, &x, along * (FRICTION.slip_speed * times)).dot(along) / most;
    // 2 y - y^2 (Li et al. 2020, eq. 14).
    for times in [1e-6, 0.1, 0.5, 0.9] {
        let expected = times * (2.0 - times);
        assert!((of(times) / expected - 1.0).abs() < 1e-9, "{} at {times}", of(times));
    }
}

/// Two rods that cross, and two grains: pairs of edges and of points, each a pair alone.
fn pairs() -> [(CollisionScene, Vec<Vec3>, usize); 2] {
    let gap = Vec3::Y * 0.03;
    let rod = |along: Vec3| {
        let ends = [-along, along];
        (ends, CollisionMesh::with_codimensional(&ends, &[], &[[0, 1]], &[], 0.02).unwrap())
    };
    let ([a, b], lower) = rod(Vec3::X);
    let ([c, d], upper) = rod(Vec3::new(0.6, 0.0, 1.0));
    let rods = arrange(&[Arc::new(lower), Arc::new(upper)], vec![], vec![], MU);
    let grain = || CollisionMesh::with_codimensional(&[Vec3::ZERO], &[], &[], &[0], 0.02).unwrap();
    let grains = arrange(&[Arc::new(grain()), Arc::new(grain())], vec![], vec![], MU);
    let beside = Vec3::new(0.02, 0.03, -0.01);
    [(rods, vec![a, b, c + gap, d + gap], 2), (grains, vec![Vec3::ZERO, beside], 1)]
}

#[test]
fn pairs_of_edges_and_of_points_rub_with_mu_times_their_force() {
    for (scene, x, first) in pairs() {
        let mut contact = Contact::new(scene.clone(), SETTINGS);
        contact.search(&[Path::at(&x)]);
        let mut gradient = vec![Vec3::ZERO; x.len()];
        contact.add_gradient(0.0, &x, 1.0, &mut gradient);
        let pushed = -gradient[first..].iter().sum::<Vec3>();
        let along = pushed.normalize().any_orthonormal_vector();
        let friction = Friction::new(scene, SETTINGS, FRICTION).at(&x, &[]);
        let v: Vec<Vec3> =
            (0..x.len()).map(|i| if i < first { Vec3::ZERO } else { along }).collect();
        let mut gradient = vec![Vec3::ZERO; x.len()];
        friction.add_gradient(0.0, &v, 1.0, &mut gradient);
        let (force, expected) =
            (-gradient[first..].iter().sum::<Vec3>(), -along * MU * pushed.length());
        assert!(pushed.length() > 0.0, "they touch");
        assert!(
            (force - expected).length() < 1e-12 * expected.length(),
            "{force} is not {expected}"
        );
    }
}

/// The matrix of friction at `v` and the dual variables, block by block.
fn blocks(
    friction: &dyn CouplingDissipationPotential,
    v: &[Vec3],
    duals: &[Vec3],
) -> Vec<(usize, usize, [f64; 9])> {
    let mut out = HessianBlocks::default();
    friction.add_hessian_at(0.0, v, duals, Psd::Exact, &mut Hessian::new(&mut out, 0, 1.0));
    out.iter().map(|(i, j, block)| (i, j, block.to_cols_array())).collect()
}

#[test]
fn iterates_change_the_curvature_only_while_they_move() {
    let (scene, x, normal) = pressed();
    let along = (Vec3::X - normal * normal.x).normalize() * (3.0 * FRICTION.slip_speed);
    let [there, back] = [along, -0.5 * along].map(|v| vec![v; x.len()]);
    let friction = Friction::new(scene, SETTINGS, FRICTION).at(&x, &[]);
    let exact = blocks(&friction, &back, &[]);
    let first = friction.duals(&there, None);
    assert!(first.is_exact);
    let turned = friction.duals(&back, Some(&first.values));
    assert!(!turned.is_exact);
    assert_ne!(blocks(&friction, &back, &turned.values), exact);
    // One body is solved for alone.
    let alone = friction.restricted(&[true, false]);
    let restarted = alone.duals(&back, None);
    assert!(restarted.is_exact);
    let blocks_alone = blocks(&*alone, &back, &restarted.values);
    assert_eq!(blocks_alone, exact, "a solve begins with the second derivative");
    let settled = friction.duals(&back, Some(&turned.values));
    assert!(settled.is_exact, "it stays");
    let scale =
        exact.iter().flat_map(|block| block.2).fold(0.0, |largest: f64, b| largest.max(b.abs()));
    for (settled, exact) in blocks(&friction, &back, &settled.values).iter().zip(&exact) {
        let close = settled.2.iter().zip(exact.2).all(|(a, b)| (a - b).abs() <= 1e-14 * scale);
        assert!(close, "{settled:?} is not {exact:?}");
    }
}

#[test]
fn contacts_of_an_end_without_weight_have_no_effect() {
    let (scene, x, normal) = pressed();
    let there: Vec<Vec3> = x.iter().map(|p| *p - normal * 0.01).collect();
    let along = normal.any_orthonormal_vector() * (3.0 * FRICTION.slip_speed);
    let v = vec![along; x.len()];
    let friction = Friction::new(scene, SETTINGS, FRICTION);
    let only_end: Box<dyn CouplingDissipationPotential> = Box::new(friction.at(&there, &[]));
    let both = friction.at(&x, &[]).lagged_at_end(&there);
    assert!(both.has_lagged_forces());
    let gradient = |friction: &dyn CouplingDissipationPotential| {
        let mut out = vec![Vec3::ZERO; x.len()];
        friction.add_gradient(0.0, &v, 1.0, &mut out);
        out
    };
    let power = |friction: &dyn CouplingDissipationPotential| {
        let mut bodies = [0.0; 2];
        friction.add_power_by_body(0.0, &v, &v, &mut bodies);
        bodies
    };
    for start in [0.0, 0.5, 0.0] {
        let mixed = both.mixed(&vec![start; x.len()]);
        let is_that_of_the_end = mixed.value(0.0, &v) == only_end.value(0.0, &v)
            && gradient(&*mixed) == gradient(&*only_end)
            && power(&*mixed) == power(&*only_end);
        assert_eq!(is_that_of_the_end, start == 0.0);
    }
}

#[test]
fn blocks_find_the_velocities_that_friction_leaves() {
    // A cube that presses on a plane with one face and on a second cube with another, all of it thrown about: some
    // nodes slip, some stick.
    let (rest, triangles) = cube(3);
    let surface = Arc::new(CollisionMesh::new(&rest, &triangles).unwrap());
    let plane = Plane { point: Vec3::ZERO, normal: Vec3::Y, collider: 2 };
    let scene = arrange(&[surface.clone(), surface], vec![plane], vec![], MU);
    let size =
        rest.iter().map(|p| p.x).fold(0.0, f64::max) - rest.iter().map(|p| p.x).fold(0.0, f64::min);
    let lifted = Vec3::Y * (0.04 - rest.iter().map(|p| p.y).fold(f64::INFINITY, f64::min));
    let beside = Vec3::new(size + 0.03, 0.01, 0.07);
    let first = rest.iter().map(|p| *p + lifted);
    let x: Vec<Vec3> = first.chain(rest.iter().map(|p| *p + lifted + beside)).collect();
    let friction = Friction::new(scene, SETTINGS, FRICTION).at(&x, &[]);
    assert!(friction.pair_count() > 30, "{}", friction.pair_count());
    for speed in [1e-4, 0.1, 10.0] {
        let wave =
            |i: usize| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), (3.0 + i as f64).sin());
        let u: Vec<Vec3> = (0..x.len()).map(|i| wave(i) * speed).collect();
        // Impulses of a little of the momentum are found to rounding; where friction would stop everything many times over,
        // rounds converge slowly, but do.
        for (h, fixed, share) in [(1e-6, 0, 1e-8), (1e-6, 5, 1e-8), (1e-5, 5, 0.01), (1e-2, 0, 0.9)]
        {
            let [left, before] = relaxed_residual(&friction, &u, h, fixed);
            assert!(left < share * before, "{left} of {before} at {speed} m/s in {h} s");
        }
    }
}

/// A drag (kg/s) on every node.
struct Drag(f64);

impl Dissipation for Drag {
    fn name(&self) -> &'static str {
        "drag"
    }

    fn lagged(&self, _: &[Vec3]) -> Arc<dyn DissipationPotential> {
        Arc::new(Self(self.0))
    }
}

impl DissipationPotential for Drag {
    fn value(&self, _time: f64, v: &[Vec3]) -> f64 {
        0.5 * self.0 * v.iter().map(|v| v.length_squared()).sum::<f64>()
    }

    fn add_gradient(&self, _time: f64, v: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out.iter_mut().zip(v).for_each(|(out, v)| *out += *v * (scale * self.0));
    }

    fn add_hessian(&self, _time: f64, v: &[Vec3], _: Psd, out: &mut Hessian<'_>) {
        (0..v.len()).for_each(|i| out.add(i, i, Mat3::IDENTITY * self.0));
    }
}

#[test]
fn velocities_that_friction_and_damping_leave_are_found_where_they_are_guessed() {
    let (scene, x, _) = pressed();
    let h = 1e-3;
    let masses: Vec<f64> = (0..x.len()).map(|i| [1.0, 0.03, 0.2][i % 3]).collect();
    let body = Body::new("cube", masses.clone()).with_dissipation(Drag(50.0));
    let system = System::new(vec![body]).with_dissipation(Friction::new(scene, SETTINGS, FRICTION));
    let dissipation = system.lagged(&State::new(0.0, x.clone(), vec![Vec3::ZERO; x.len()]));
    let wave = |i: usize| Vec3::new((i as f64).sin(), (2.0 * i as f64).cos(), 0.3);
    for speed in [1e-3, 0.02, 1.0] {
        // They are left of what they, and all that dissipation takes, add up to.
        let left: Vec<Vec3> = (0..x.len()).map(|i| wave(i) * speed).collect();
        let mut taken = vec![Vec3::ZERO; x.len()];
        dissipation.add_gradient(&DissipationFrame::at_start(0.0), &left, h, &mut taken);
        let before: Vec<Vec3> = (0..x.len()).map(|i| left[i] + taken[i] / masses[i]).collect();
        assert!(taken.iter().any(|taken| taken.length() > 0.02 * h * speed));
        let rounds = Rounds { max_rounds: 50, tolerance: 1e-14 * speed };
        let found =
            dissipation.relaxed(&DissipationFrame::at_start(0.0), h, &before, &left, rounds);
        let error = found.iter().zip(&left).map(|(a, b)| (*a - *b).length()).fold(0.0, f64::max);
        assert!(error < 1e-12 * speed, "{error} at {speed} m/s");
    }
}

/// Two cubes of different cells, one above the other, that press on each other.
fn stacked() -> (CollisionScene, Vec<Vec3>) {
    let cubes = [cube(2), cube(3)];
    let surfaces = cubes
        .each_ref()
        .map(|(rest, triangles)| Arc::new(CollisionMesh::new(rest, triangles).expect("a surface")));
    let scene = arrange(&surfaces, vec![], vec![], MU);
    let raised = cubes[1].0.iter().map(|p| *p + Vec3::new(0.03, 1.04, -0.02));
    (scene, cubes[0].0.iter().copied().chain(raised).collect())
}

#[test]
fn an_offset_is_a_velocity_that_slip_is_measured_with() {
    let (scene, x) = stacked();
    let field = |k: f64| {
        let of = |i: usize| Vec3::new((k * i as f64).sin(), 0.3, (i as f64).cos()) * 0.004;
        (0..x.len()).map(of).collect::<Vec<_>>()
    };
    let (v, offset) = (field(1.0), field(2.0));
    let sum: Vec<Vec3> = v.iter().zip(&offset).map(|(v, offset)| *v + *offset).collect();
    let plain = Friction::new(scene.clone(), SETTINGS, FRICTION);
    let shifted = Friction::new(scene, SETTINGS, FRICTION).with_offset(offset);
    let [expected, found] = [(plain, &sum), (shifted, &v)].map(|(friction, v)| {
        let friction = friction.at(&x, &[]);
        let mut gradient = vec![Vec3::ZERO; x.len()];
        friction.add_gradient(0.0, v, 1.0, &mut gradient);
        (friction.value(0.0, v), gradient)
    });
    assert!(expected.0 > 0.0 && (found.0 / expected.0 - 1.0).abs() < 1e-12);
    let largest = expected.1.iter().map(|g| g.length()).fold(0.0, f64::max);
    for (found, expected) in found.1.iter().zip(&expected.1) {
        assert!(found.distance(*expected) < 1e-12 * largest, "{found} is not {expected}");
    }
}

#[test]
fn elastic_slip_keeps_the_force_of_friction_and_is_no_longer_than_the_slip_length() {
    let (scene, x) = stacked();
    let candidates = Candidates::near(&scene, &x, SETTINGS.d_hat);
    let lagged = LaggedContacts::new(&scene, &candidates, &SETTINGS, &x);
    let length = FRICTION.slip_speed;
    let force = |slip: &[Vec3]| FRICTION.gradient(&scene, &lagged, slip);
    // The upper cube sticks, turns, or slips along x; both are carried far away as well. Unit vectors of slip in planes that are
    // inclined to each other, at the edges, are no displacement of nodes: 0.9 % remain there.
    let turned = |p: Vec3| Vec3::Y.cross(p - Vec3::splat(0.5)) * (0.5 * length);
    let tolerances = [1e-6, 1e-6, 0.02];
    let cases: [&dyn Fn(Vec3) -> Vec3; 3] =
        [&|_| Vec3::new(0.4, 0.0, -0.3) * length, &turned, &|_| Vec3::X * (50.0 * length)];
    let first = cube(2).0.len();
    for (case, moved) in cases.into_iter().enumerate() {
        let displacement = |(i, p): (usize, &Vec3)| {
            Vec3::new(7.0, 0.0, 2.0) + if i < first { Vec3::ZERO } else { moved(*p) }
        };
        let all: Vec<Vec3> = x.iter().enumerate().map(displacement).collect();
        let expected = force(&all);
        let largest = expected.iter().map(|g| g.length()).fold(0.0, f64::max);
        for held in [1.0, 0.0] {
            let mobile: Vec<f64> =
                (0..x.len()).map(|i| if i < first { held } else { 1.0 }).collect();
            let slip = lagged.elastic_slip(&scene, &all, length, &mobile);
            for (found, expected) in force(&slip).iter().zip(&expected) {
                let error = found.distance(*expected) / largest;
                assert!(error < tolerances[case], "case {case}: {found} is not {expected}");
            }
            let longest = slip.iter().map(|e| e.length()).fold(0.0, f64::max);
            assert!(longest <= 1.5 * length, "{longest} m");
            assert!(held == 1.0 || slip[..first].iter().all(|e| *e == Vec3::ZERO));
        }
    }
}
