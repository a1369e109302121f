//! A test of one's own project that tells at once when its physics changed.
//!
//! `cargo test -p resile --example snapshot_test`
//!
//! A trajectory is the same to the bit on any number of threads, so a snapshot may hold all its
//! digits. It also holds what work was done: a change that costs iterations shows as one that
//! moves a body. To accept a change look at the difference first, then run the test again with
//! `INSTA_UPDATE=always`.

fn main() {}

#[cfg(test)]
mod tests {
    use resile::energy::{Gravity, SpringElement, SpringLaw, Springs};
    use resile::integrators::{ASearch, StageSolver, advance};
    use resile::solver::NewtonSettings;
    use resile::system::{Body, Held, Motion, Prescribed, State, System, Vec3};
    use std::fmt::Write as _;

    /// A bob of one kilogram on a stiff spring (N/m), the other end of which is held.
    fn pendulum() -> (System, State) {
        let masses = vec![1.0; 2];
        let spring = SpringElement { nodes: [0, 1], rest: 1.0, stiffness: 1e4 };
        let spring = Springs::new(2, vec![spring], SpringLaw::Hooke).expect("the spring is sound");
        let gravity = Gravity::new(masses.clone(), Vec3::new(0.0, -9.81, 0.0));
        let mut body = Body::new("pendulum", masses).with(spring).with(gravity);
        body.prescribed = vec![Prescribed {
            node: 0,
            start: Vec3::ZERO,
            motion: Motion::Fixed,
            until: None,
            held: Held::All,
        }];
        let start = vec![Vec3::ZERO, Vec3::X];
        (System::new(vec![body]), State::new(0.0, start, vec![Vec3::ZERO; 2]))
    }

    #[test]
    fn pendulum_equals_its_snapshot() {
        let (mut system, mut state) = pendulum();
        let mut solver = StageSolver::new(1e-6, NewtonSettings::default());
        let mut message = String::new();
        for step in 1..=20 {
            let report =
                advance(&ASearch::default(), &mut system, &mut solver, &mut state, 1.0 / 60.0)
                    .expect("the step can be taken");
            let Vec3 { x, y, .. } = state.positions[1];
            let _ = writeln!(message, "{step} {x:?} {y:?}, {} iterations", report.solve.iterations);
        }
        insta::assert_snapshot!(message);
    }
}
