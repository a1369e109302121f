//! Energy that enters a system from outside in a step: the work of prescribed motions and moving targets. It is
//! computed in the same way for every integrator, so that *target = initial + added - dissipated* has the same
//! meaning for all of them.

use crate::step::co_moving::CoMoving;
use crate::step::prescribed_work;
use resile_system::{Path, Prepared};

/// Work (J) done on each body by moving targets and by the motions of prescribed nodes, in the frames in which energies
/// are measured (`co_moving.rs`). If any of these move, the system is afterwards prepared at the end.
pub(crate) fn work(
    system: &mut Prepared<'_>,
    path: Path<'_>,
    times: [f64; 2],
    frames: &CoMoving,
) -> Vec<f64> {
    let mut work = system.work_by_body(path.from, path.to, times);
    let frame_work = match system.is_driven() || system.has_moving_support(times) {
        true => prescribed_work::work(system, path, times, frames),
        false => falling_frame_work(system, times, frames),
    };
    work.iter_mut().zip(frame_work).for_each(|(sum, work)| *sum += work);
    work
}

/// The work (J) of uniform fields on each body in a frame with the velocity `V`: in this frame the source of the field
/// moves by `-V h`, and the force on the body is `m g`.
fn falling_frame_work(system: &Prepared<'_>, times: [f64; 2], frames: &CoMoving) -> Vec<f64> {
    let masses = system.sum_by_body(|i| system.masses()[i]);
    let body_work = |b: usize| {
        let drift = (times[1] - times[0]) * frames.velocity(b);
        -masses[b] * drift.dot(system.bodies()[b].uniform_acceleration(times[1]))
    };
    (0..masses.len()).map(body_work).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_energy::{SpringElement, SpringLaw, Springs};
    use resile_math::Vec3;
    use resile_system::{Body, Held, Motion, Prescribed, System};

    /// One end of a spring is drawn along its line, the other stays: all work becomes energy of the spring.
    #[test]
    fn work_of_stretching_a_spring_equals_its_energy() {
        let spring = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 8.0 };
        let springs = Springs::new(2, vec![spring], SpringLaw::Hooke).expect("a spring");
        let mut body = Body::new("pair", vec![1.0; 2]).with(springs);
        let motion = Motion::Steady {
            start: 0.0,
            end: 1.0,
            velocity: -Vec3::X,
            angular_velocity: Vec3::ZERO,
            pivot: Vec3::ZERO,
        };
        body.prescribed =
            vec![Prescribed { node: 0, start: Vec3::ZERO, motion, until: None, held: Held::All }];
        let mut system = System::new(vec![body]);
        let (from, to) = ([Vec3::ZERO, Vec3::X], [Vec3::X * -0.5, Vec3::X]);
        let path = Path { from: &from, to: &to };
        let gained = system.at(&to).potential(0.5, &to) - system.at(&from).potential(0.0, &from);
        assert!(gained > 0.1, "{gained} J");
        let ground = CoMoving::default();
        let work = work(&mut system.at(&from), path, [0.0, 0.5], &ground)[0];
        assert!((work - gained).abs() < 1e-9 * gained, "{work} J, not {gained} J");
    }
}
