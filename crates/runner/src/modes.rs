//! Natural modes of the bodies of a run in its present state.

use super::{Run, RunError};
use resile_integrators::{Mode, UnsupportedMotion};
use resile_math::{Aabb, Vec3};
use resile_record::{ModeRow, ModesState, write_modes};
use resile_scene::description::Contact;
use resile_system::State;
use std::collections::BTreeSet;

/// Largest displacement in a frame of a mode, relative to the extent of its body.
const SHAPE_AMPLITUDE: f64 = 0.1;

impl Run {
    /// Finds the `count` lowest natural modes of each body, and writes `modes.csv` and a frame of each shape, scaled to
    /// a tenth of the extent of the body. Contact and joints are excluded. A start that has to settle settles first;
    /// positions are restored afterwards.
    ///
    /// # Errors
    /// If the start does not settle, a stiffness matrix cannot be factorised, or a file cannot be written.
    pub fn modes(&mut self, count: usize) -> Result<Vec<ModeRow>, RunError> {
        while self.is_settling() {
            self.settle()?;
        }
        let mut modes_by_body: Vec<(usize, Mode)> = Vec::new();
        let bodies = 0..self.world.body_count();
        for body in bodies.filter(|&b| !self.world.is_kinematic(b)).collect::<Vec<_>>() {
            let modes = self.world.modes(body, count).map_err(|cause| RunError::Modes {
                body: self.world.name(body).to_owned(),
                cause,
            })?;
            modes_by_body.extend(modes.into_iter().map(|mode| (body, mode)));
        }
        modes_by_body.sort_by(|(_, a), (_, b)| a.square.total_cmp(&b.square));
        let end = self.clock.after(self.totals.steps);
        let mut rows = Vec::new();
        for (k, (body, mode)) in modes_by_body.into_iter().enumerate() {
            let largest = mode.pair.vector.iter().map(|u| u.length()).fold(0.0, f64::max);
            let time = end + (k + 1) as f64;
            self.write_shape_frame(body, &mode.pair.vector, largest, time)?;
            rows.push(ModeRow {
                mode: k + 1,
                body: self.world.name(body).to_owned(),
                frequency: mode.frequency,
                square: mode.square,
                residual: mode.pair.residual,
                largest,
                time,
                has_converged: mode.pair.has_converged,
                is_unstable: mode.is_unstable(),
                asymmetry: mode.asymmetry,
            });
        }
        write_modes(&self.folder.modes(), &rows, self.scene.units)?;
        self.totals.modes = Some(self.mode_states(&rows));
        Ok(rows)
    }

    /// The names of the two bodies of each joint and tie, which modes and load factors exclude; each pair once, ascending.
    pub fn joined_bodies(&self) -> BTreeSet<[&str; 2]> {
        let names = |bodies: [usize; 2]| {
            let mut names = bodies.map(|body| self.world.name(body));
            names.sort_unstable();
            names
        };
        self.world.joined_bodies().map(names).filter(|[a, b]| a != b).collect()
    }

    /// The states of the bodies of these modes: balance of forces, and unstable modes.
    fn mode_states(&self, rows: &[ModeRow]) -> Vec<ModesState> {
        let balances = self.world.force_balance();
        let bodies = (0..self.world.body_count()).filter(|&b| !self.world.is_kinematic(b));
        let state_of_body = |body| {
            let name = self.world.name(body).to_owned();
            let unstable_modes =
                rows.iter().filter(|row| row.is_unstable && row.body == name).count();
            let balance = balances.as_ref().map(|balances| balances[body]);
            ModesState {
                body: name,
                unstable_modes,
                residual_force: balance.map(|balance| balance.residual),
                largest_force: balance.map(|balance| balance.largest_force),
            }
        };
        bodies.map(state_of_body).collect()
    }

    /// The states about which [`modes`](Self::modes) computed modes; empty before.
    pub fn modes_states(&self) -> &[ModesState] {
        self.totals.modes.as_deref().unwrap_or_default()
    }

    /// The rigid motions that nothing but contact and joints resists, with the name of the body, for each body that has
    /// any.
    pub fn unsupported(&mut self) -> impl Iterator<Item = (String, Vec<UnsupportedMotion>)> {
        let world = &mut self.world;
        let bodies =
            (0..world.body_count()).filter(|&b| !world.is_kinematic(b)).collect::<Vec<_>>();
        let motions_of = |body| (world.name(body).to_owned(), world.unsupported(body));
        bodies.into_iter().map(motions_of).filter(|(_, motions)| !motions.is_empty())
    }

    /// The [unsupported](Self::unsupported) motions of the bodies for which they may be why the next step fails: without
    /// contact and joints, only if the loads at the end of that step drive one of them.
    pub fn unsupported_in_next_step(&self) -> Vec<(String, Vec<UnsupportedMotion>)> {
        let end = self.clock.after(self.totals.steps + 1);
        let has_couplings = self.scene.contact != Contact::Off
            || !self.scene.joints.is_empty()
            || !self.scene.seams.is_empty();
        let world = &self.world;
        let motions_of = |body| {
            let motions = world.unsupported(body);
            let is_driven = |motion: &UnsupportedMotion| world.is_driven(body, *motion, end);
            (has_couplings || motions.iter().any(is_driven))
                .then(|| (world.name(body).to_owned(), motions))
        };
        let bodies = (0..world.body_count()).filter(|&b| !world.is_kinematic(b));
        bodies.filter_map(motions_of).filter(|(_, motions)| !motions.is_empty()).collect()
    }

    /// Writes a frame in which a body is displaced by a mode shape, whose largest displacement is
    /// `largest_displacement`. The shape is scaled to [`SHAPE_AMPLITUDE`]; the state is restored afterwards.
    pub(super) fn write_shape_frame(
        &mut self,
        body: usize,
        shape: &[Vec3],
        largest_displacement: f64,
        time: f64,
    ) -> Result<(), RunError> {
        let state = self.world.state(body).clone();
        let extent =
            Aabb::around(&state.positions).map_or(0.0, |bounds| bounds.size().max_element());
        let scale = if largest_displacement > 0.0 {
            SHAPE_AMPLITUDE * extent / largest_displacement
        } else {
            0.0
        };
        let displaced_positions =
            state.positions.iter().zip(shape).map(|(x, u)| *x + *u * scale).collect();
        self.world.set_state(body, State { positions: displaced_positions, ..state.clone() });
        let frame_result = self.write_frame(time);
        self.world.set_state(body, state);
        frame_result
    }
}
