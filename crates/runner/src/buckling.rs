//! Linear buckling of the bodies of a run.

use super::{Run, RunError};
use resile_integrators::{BucklingError, BucklingMode, Stiffness};
use resile_record::{BucklingRow, write_buckling};

impl Run {
    /// The stiffness of each simulated body in its present state, with the index of the body. If the scene settles and
    /// has not done so, it settles first; if it does not settle, bodies do not bear their loads at the start, so that
    /// pressures that act there are not part of the stiffness.
    ///
    /// # Errors
    /// If no equilibrium is found.
    pub fn stiffnesses(&mut self) -> Result<Vec<(usize, Stiffness)>, RunError> {
        while self.is_settling() {
            self.settle()?;
        }
        let bodies: Vec<usize> =
            (0..self.world.body_count()).filter(|&b| !self.world.is_kinematic(b)).collect();
        let stiffness = |body| match self.scene.settle {
            true => self.world.stiffness(body),
            false => self.world.stiffness_without_loads(body),
        };
        Ok(bodies.into_iter().map(|body| (body, stiffness(body))).collect())
    }

    /// Finds the `count` smallest positive load factors of the load that acts on each body in its present state;
    /// `unloaded` holds the stiffnesses without the load. Writes `buckling.csv` and a frame of each mode, with an
    /// amplitude of a tenth of the extent of the body. Contact and joints are ignored. The bodies do not move.
    ///
    /// # Errors
    /// If a stiffness matrix cannot be factorised, no body has a load factor, or a file cannot be written.
    pub fn buckling(
        &mut self,
        unloaded: &[(usize, Stiffness)],
        count: usize,
    ) -> Result<Vec<BucklingRow>, RunError> {
        let mut modes_by_body: Vec<(usize, BucklingMode)> = Vec::new();
        let mut unchanged_error = None;
        for (body, stiffness) in unloaded {
            let name = self.world.name(*body).to_owned();
            let to_error = |cause| RunError::Buckling { body: name, cause };
            match self.world.buckling(*body, stiffness, count) {
                Ok(modes) => modes_by_body.extend(modes.into_iter().map(|mode| (*body, mode))),
                // Other bodies may bear the load; it is an error only if no body has a load factor.
                Err(cause @ BucklingError::Unchanged) => unchanged_error = Some(to_error(cause)),
                Err(cause) => return Err(to_error(cause)),
            }
        }
        if let Some(error) = unchanged_error.filter(|_| modes_by_body.is_empty()) {
            return Err(error);
        }
        modes_by_body.sort_by(|(_, a), (_, b)| a.factor.total_cmp(&b.factor));
        let end = self.clock.after(self.totals.steps);
        let mut rows = Vec::new();
        for (k, (body, mode)) in modes_by_body.into_iter().enumerate() {
            let BucklingMode { factor, shape, residual, has_converged, asymmetry } = mode;
            let time = end + (k + 1) as f64;
            self.write_shape_frame(body, &shape, 1.0, time)?;
            let body = self.world.name(body).to_owned();
            rows.push(BucklingRow {
                mode: k + 1,
                body,
                factor,
                residual,
                time,
                has_converged,
                asymmetry,
            });
        }
        write_buckling(&self.folder.buckling(), &rows, self.scene.units)?;
        Ok(rows)
    }
}
