//! Steps in which a term panics.

use crate::support::{H, Setup, all_bits, step, tetrahedron};
use resile_integrators::ElasticSlip;
use resile_system::{Energy, Hessian, Psd, Vec3};
use resile_watch::{Activity, Cause, Interrupt};
use resile_world::World;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// A term that panics when it has been evaluated so often.
struct Fuse(Arc<AtomicUsize>);

impl Fuse {
    fn burn(&self) {
        let left = self.0.load(Ordering::SeqCst);
        self.0.store(left.wrapping_sub(1), Ordering::SeqCst);
        assert_ne!(left, 0, "on purpose");
    }
}

impl Energy for Fuse {
    fn name(&self) -> &'static str {
        "fuse"
    }

    fn value(&self, _time: f64, _x: &[Vec3]) -> f64 {
        self.burn();
        0.0
    }

    fn add_gradient(&self, _time: f64, _x: &[Vec3], _scale: f64, _out: &mut [Vec3]) {
        self.burn();
    }

    fn add_hessian(&self, _time: f64, _x: &[Vec3], _psd: Psd, _out: &mut Hessian<'_>) {
        self.burn();
    }
}

const FALL: Vec3 = Vec3::new(0.0, -10.0, 0.0);

/// A body on the floor, and one that falls far from it and has a fuse, after five steps.
fn world() -> (World, Arc<AtomicUsize>) {
    let left = Arc::new(AtomicUsize::new(usize::MAX));
    let (body, state, surface) = tetrahedron("fused", Vec3::Y * 5.0, Vec3::X * 2.0, FALL);
    let low = tetrahedron("low", Vec3::new(3.0, 0.02, 0.0), Vec3::ZERO, FALL);
    let fused = (body.with(Fuse(left.clone())), state, surface);
    let setup = Setup { expected: FALL, floor: true, friction: 0.3, ..Setup::default() };
    let mut world = setup.world(vec![low, fused]);
    (1..=5).for_each(|number| drop(step(&mut world, number)));
    (world, left)
}

/// Whether the sixth step panics.
fn panics(world: &mut World) -> bool {
    catch_unwind(AssertUnwindSafe(|| drop(world.step(H, 6.0 * H)))).is_err()
}

#[test]
fn panic_in_a_step_leaves_the_world_intact() {
    let (mut calm, left) = world();
    left.store(usize::MAX, Ordering::SeqCst);
    step(&mut calm, 6);
    let evaluations = usize::MAX - left.load(Ordering::SeqCst);
    assert!(evaluations > 5, "{evaluations}");
    for after in [0, 1, evaluations / 2, evaluations - 1] {
        let (mut world, left) = world();
        let (before, observed) = (all_bits(&world), world.observe());
        left.store(after, Ordering::SeqCst);
        assert!(panics(&mut world), "after {after} of {evaluations} evaluations");
        left.store(usize::MAX, Ordering::SeqCst);
        assert_eq!(all_bits(&world), before);
        assert_eq!((world.name(0), world.name(1)), ("low", "fused"));
        assert_eq!(world.observe(), observed);
        step(&mut world, 6);
        assert_eq!(all_bits(&world), all_bits(&calm), "the panic is forgotten");
    }
}

#[test]
fn panic_in_an_observation_leaves_the_world_intact() {
    let (mut world, left) = world();
    let before = all_bits(&world);
    left.store(0, Ordering::SeqCst);
    assert!(catch_unwind(AssertUnwindSafe(|| world.net_forces())).is_err());
    left.store(usize::MAX, Ordering::SeqCst);
    assert_eq!(all_bits(&world), before);
    let (mut calm, _) = self::world();
    step(&mut world, 6);
    step(&mut calm, 6);
    assert_eq!(all_bits(&world), all_bits(&calm));
}

#[test]
fn failed_and_panicking_steps_keep_the_slip_of_a_load_step() {
    let (mut world, left) = world();
    let mut state = world.state(0).clone();
    let slip = ElasticSlip { displacements: vec![Vec3::X * 1e-6; 4], slip_length: 1e-4 };
    slip.clone().remember(&mut state.memory);
    world.set_state(0, state);
    let kept = |world: &World| ElasticSlip::recall(&world.state(0).memory);
    left.store(1, Ordering::SeqCst);
    assert!(panics(&mut world));
    assert_eq!(kept(&world), Some(slip.clone()));
    left.store(usize::MAX, Ordering::SeqCst);
    let interrupt = Interrupt::new();
    world.watch(interrupt.clone(), Activity::unobserved());
    interrupt.raise(Cause::Asked);
    assert!(world.step(H, 6.0 * H).is_err());
    assert_eq!(kept(&world), Some(slip));
    world.watch(Interrupt::new(), Activity::unobserved());
    step(&mut world, 6);
    assert_eq!(kept(&world), None);
}
