//! Heat of history variables.

use std::ops::AddAssign;

/// Heat (J) of the change of [history variables](crate::Internal) in a step.
#[derive(Debug, Clone, Copy, Default, PartialEq)]
pub struct FlowHeat {
    /// Potential energy released by plastic flow at the end of the step; not negative.
    pub plastic: f64,
    /// Potential energy released by viscous flow at the end of the step; not negative.
    pub viscous: f64,
    /// Heat of viscous flow during the step, by which the [work](crate::Energy::work) of the term is smaller. Its sum with `viscous`
    /// is not negative.
    pub relaxed: f64,
    /// Heat of plastic flow above the yield stress during the step, by which the work of the term is smaller; not negative.
    pub overstress: f64,
}

impl FlowHeat {
    /// Heat (J) of the flow at the end of the step: the potential before it minus that after it.
    pub fn released(&self) -> f64 {
        self.plastic + self.viscous
    }

    /// Heat (J) of the flow during the step, by which the [work](crate::Energy::work) of the term is smaller.
    pub fn during_step(&self) -> f64 {
        self.relaxed + self.overstress
    }
}

impl AddAssign for FlowHeat {
    fn add_assign(&mut self, other: Self) {
        self.plastic += other.plastic;
        self.viscous += other.viscous;
        self.relaxed += other.relaxed;
        self.overstress += other.overstress;
    }
}
