//! What a search stands for, in a restriction and after it, and what has to be searched for again.

use resile_system::{Body, Energy, Hessian, Path, Psd, System, Vec3};
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

/// Every path but a resting one is free for half of its length; how often that was asked is counted.
struct Gate(Arc<AtomicUsize>);

impl Energy for Gate {
    fn name(&self) -> &'static str {
        "gate"
    }

    fn value(&self, _time: f64, x: &[Vec3]) -> f64 {
        x[0].x
    }

    fn add_gradient(&self, _time: f64, _: &[Vec3], scale: f64, out: &mut [Vec3]) {
        out[0].x += scale;
    }

    fn add_hessian(&self, _time: f64, _: &[Vec3], _: Psd, _: &mut Hessian<'_>) {}

    fn step_bound(&self, paths: &[Path<'_>]) -> f64 {
        self.0.fetch_add(1, Ordering::Relaxed);
        if paths.iter().all(|path| path.from == path.to) { 1.0 } else { 0.5 }
    }
}

/// Two gates, a body each, and how often they were asked since the last time.
fn gates() -> (System, impl Fn() -> usize) {
    let search_count = Arc::new(AtomicUsize::new(0));
    let body = || Body::new("gate", vec![1.0]).with(Gate(search_count.clone()));
    let system = System::new(vec![body(), body()]);
    (system, move || search_count.swap(0, Ordering::Relaxed))
}

const FROM: [Vec3; 2] = [Vec3::ZERO, Vec3::Y];
const TO: [Vec3; 2] = [Vec3::X, Vec3::Y];

#[test]
fn search_covers_its_paths_and_points_on_them() {
    let (mut system, search_count) = gates();
    assert_eq!(system.along(&[Path { from: &FROM, to: &TO }]).fraction(), 0.5);
    assert_eq!(system.along(&[Path { from: &FROM, to: &TO }]).fraction(), 0.5);
    let at = |x: f64| [Vec3::X * x, Vec3::Y];
    assert_eq!(system.at(&at(0.4)).potential(0.0, &at(0.4)), 0.4);
    assert_eq!(search_count(), 2, "each gate once");
    // Beyond what is free.
    system.at(&at(0.6));
    assert_eq!(search_count(), 2);
    system.along(&[Path::at(&at(0.6)), Path::at(&TO)]);
    assert_eq!(search_count(), 2);
}

#[test]
#[cfg(debug_assertions)]
#[should_panic(expected = "off the paths")]
fn evaluation_beyond_the_searched_path_panics() {
    let (mut system, _) = gates();
    let beyond = [Vec3::X * 0.6, Vec3::Y];
    system.along(&[Path { from: &FROM, to: &TO }]).potential(0.0, &beyond);
}

#[test]
fn what_was_searched_in_a_restriction_stands_for_all_bodies_after_it() {
    let (mut system, search_count) = gates();
    let mut prepared = system.along(&[Path::at(&FROM)]);
    assert_eq!(search_count(), 2);
    let mut part = prepared.restricted(&[0]);
    assert_eq!(part.acting(), [0]);
    assert_eq!(part.search(&[Path { from: &FROM, to: &TO }]), 0.5);
    assert_eq!(search_count(), 1, "of the active body");
    drop(part);
    assert_eq!(prepared.acting(), [0, 1]);
    // Where a trial was refused, and where it could have gone.
    for x in [0.0, 0.4] {
        let at = [Vec3::X * x, Vec3::Y];
        assert_eq!(prepared.at(&at).potential(0.0, &at), x);
    }
    assert_eq!(search_count(), 0);
    prepared.at(&[Vec3::X * 0.6, Vec3::Y]);
    assert_eq!(search_count(), 2, "beyond what is free");
}

#[test]
fn a_restriction_without_a_search_changes_nothing() {
    let (mut system, search_count) = gates();
    let mut prepared = system.along(&[Path::at(&FROM)]);
    prepared.restricted(&[0]);
    prepared.restricted(&[0, 1]).restricted(&[0]);
    prepared.at(&FROM).potential(0.0, &FROM);
    assert_eq!(search_count(), 2);
}

#[test]
fn what_was_searched_in_a_part_of_a_part_without_a_search_of_its_own_stands_for_neither() {
    let (mut system, search_count) = gates();
    let mut prepared = system.along(&[Path::at(&TO)]);
    let mut part = prepared.restricted(&[0, 1]);
    part.restricted(&[0]).search(&[Path::at(&FROM)]);
    assert_eq!(search_count(), 3);
    part.search(&[Path::at(&FROM)]);
    assert_eq!(search_count(), 2);
}
