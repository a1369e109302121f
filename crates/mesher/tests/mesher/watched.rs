//! Watched work: it can be stopped, counts its progress, and is bounded.

use resile_math::{Aabb, Vec3};
use resile_mesh::TriMesh;
use resile_mesh::generate::Icosphere;
use resile_mesher::creases::{Creases, DEFAULT_CREASE_ANGLE};
use resile_mesher::signed_distance::{SolidError, fill_surface, fill_surface_watched};
use resile_mesher::stuffing::{Pieces, Resolution, Stuffing, StuffingError};
use resile_watch::{Cause, Tally, TaskContext};
use std::f64::consts::TAU;
use std::sync::atomic::{AtomicUsize, Ordering};

const STUFFING: Stuffing =
    Stuffing { resolution: Resolution::Tets(2000), grade: 0, pieces: Pieces::Largest };

/// A wheel: so many needles from its rim to either end of its axis. It is closed.
fn wheel(needles: u32) -> TriMesh {
    let rim = |k: u32| {
        let (sin, cos) = (TAU * f64::from(k) / f64::from(needles)).sin_cos();
        Vec3::new(cos, sin, 0.0)
    };
    let positions = [Vec3::Z, Vec3::NEG_Z].into_iter().chain((0..needles).map(rim)).collect();
    let triangles = (0..needles).flat_map(|k| {
        let [a, b] = [2 + k, 2 + (k + 1) % needles];
        [[0, a, b], [1, b, a]]
    });
    TriMesh { positions, triangles: triangles.collect() }
}

#[test]
fn needle_fans_with_quadratic_work_are_rejected() {
    let few = fill_surface(&wheel(500), &STUFFING, Creases::Keep(DEFAULT_CREASE_ANGLE));
    assert!(few.is_ok(), "{few:?}");
    let many = wheel(40_000);
    let error = fill_surface(&many, &STUFFING, Creases::CutOff).unwrap_err();
    let SolidError::TooMuchWork { queries, each, triangles } = error else { panic!("{error}") };
    assert_eq!(triangles, 80_000);
    assert!(queries > 80_000.0 && each > 10_000.0, "{queries} questions of {each} looks");
    assert!(error.to_string().contains("of 80000 triangles"), "{error}");
}

#[test]
fn even_surface_of_as_many_triangles_is_accepted() {
    let ball = Icosphere { radius: 1.0, subdivisions: 6 }.build().unwrap();
    assert_eq!(ball.triangles.len(), 81_920);
    assert!(fill_surface(&ball, &STUFFING, Creases::CutOff).is_ok());
}

#[test]
fn raised_interrupt_prevents_filling() {
    let ball = Icosphere { radius: 1.0, subdivisions: 2 }.build().unwrap();
    let watched = TaskContext::unobserved();
    watched.interrupt.raise(Cause::Memory);
    let filled = fill_surface_watched(&ball, &STUFFING, Creases::CutOff, &watched);
    assert_eq!(filled, Err(SolidError::Interrupted(Cause::Memory)));
}

#[test]
fn interrupt_during_point_evaluation_waits_only_for_running_points() {
    let watched = TaskContext::unobserved();
    let asked = AtomicUsize::new(0);
    // So many threads at most are at a point when the flag is raised.
    let threads = rayon::current_num_threads();
    for stop_at in [1, 1000, 20_000] {
        asked.store(0, Ordering::SeqCst);
        let ball = |p: Vec3| {
            let number = asked.fetch_add(1, Ordering::SeqCst) + 1;
            if number == stop_at {
                watched.interrupt.raise(Cause::Asked);
            }
            // Work that is later than the flag sees it, however long it takes to be raised.
            while number > stop_at && !watched.interrupt.is_raised() {
                std::hint::spin_loop();
            }
            p.length() - 0.9
        };
        let stuffing = Stuffing { resolution: Resolution::Size(0.1), ..STUFFING };
        let bounds = Aabb { min: Vec3::splat(-1.0), max: Vec3::ONE };
        let filled = stuffing.fill_watched(ball, bounds, &watched);
        assert_eq!(filled, Err(StuffingError::Interrupted(Cause::Asked)));
        let asked = asked.load(Ordering::SeqCst);
        assert!((stop_at..stop_at + threads).contains(&asked), "{asked} of {stop_at}");
        watched.interrupt.lower(Cause::Asked);
    }
}

#[test]
fn progress_counts_every_part_and_leaves_the_result_unchanged() {
    let ball = Icosphere { radius: 1.0, subdivisions: 2 }.build().unwrap();
    let watched = TaskContext { tally: Tally::new(), ..TaskContext::unobserved() };
    let watched_ball = fill_surface_watched(&ball, &STUFFING, Creases::CutOff, &watched).unwrap();
    let progress = watched.tally.progress().unwrap();
    assert_eq!((progress.part, progress.done), ("cut edges", progress.total));
    assert!(progress.total > 100, "{progress:?}");
    assert_eq!(watched_ball, fill_surface(&ball, &STUFFING, Creases::CutOff).unwrap());
}
