//! History variables of elements.

use super::plastic::{PlasticPoint, Plasticity};
use super::rest::InverseEdges;
use super::viscous::Viscosity;
use crate::material::{Hencky, Materials, StrainEnergyDensity};
use resile_math::lanes::{Lane, Mat3x8};
use resile_system::FlowHeat;

/// The history variables of the elements of a term, with `Q` integration points each.
#[derive(Debug, Clone)]
pub(super) enum History<const Q: usize> {
    /// No history: elasticity.
    None,
    /// Plastic flow, for elements that can yield.
    Plastic(Plasticity<Q>),
    /// Viscous flow, for a branch of a Prony series.
    Viscous(Viscosity<Q>),
}

/// Inverse rest edges and strain energy density of an integration point of eight elements.
#[allow(clippy::large_enum_variant, reason = "it lives on the stack for one evaluation")]
pub(super) enum Evaluated<'a> {
    /// Stored values.
    Stored(&'a Mat3x8, &'a dyn StrainEnergyDensity),
    /// Values that depend on the time since the last flow.
    Relaxed(Mat3x8, Hencky),
}

impl Evaluated<'_> {
    /// Returns the inverse rest edges and the strain energy density.
    #[inline(always)]
    pub(super) fn parts(&self) -> (&Mat3x8, &dyn StrainEnergyDensity) {
        match self {
            Self::Stored(inverse, energy_density) => (inverse, *energy_density),
            Self::Relaxed(inverse, energy_density) => (inverse, energy_density),
        }
    }
}

impl<const Q: usize> History<Q> {
    /// Creates the history of groups with these inverse rest edges and numbers of elements.
    pub(super) fn new(
        materials: &Materials,
        groups: impl ExactSizeIterator<Item = (InverseEdges<Q>, usize)> + Clone,
    ) -> Self {
        if let Some(viscosity) = Viscosity::new(materials, groups.clone()) {
            return Self::Viscous(viscosity);
        }
        Plasticity::new(materials, groups).map_or(Self::None, Self::Plastic)
    }

    /// Evaluates an integration point of a group at `time` (s). `elastic` returns the inverse rest edges and strain
    /// energy density of elements without history.
    #[inline(always)]
    pub(super) fn evaluated<'a>(
        &'a self,
        time: f64,
        [group, point]: [usize; 2],
        elastic: impl FnOnce() -> (&'a Mat3x8, &'a dyn StrainEnergyDensity),
    ) -> Evaluated<'a> {
        match self {
            Self::None => {}
            Self::Plastic(plasticity) => {
                if let Some(point) = plasticity.at(group, point) {
                    return match plasticity.over(time, point) {
                        Some(energy_density) => Evaluated::Relaxed(point.inverse, energy_density),
                        None => Evaluated::Stored(&point.inverse, &point.density),
                    };
                }
            }
            Self::Viscous(viscosity) => {
                let (inverse, energy_density) = viscosity.at(time, group, point);
                return Evaluated::Relaxed(inverse, energy_density);
            }
        }
        let (inverse, energy_density) = elastic();
        Evaluated::Stored(inverse, energy_density)
    }

    /// Returns the plastic state of an integration point, if the group can yield.
    pub(super) fn plastic(&self, group: usize, point: usize) -> Option<&PlasticPoint> {
        match self {
            Self::Plastic(plasticity) => plasticity.at(group, point),
            Self::None | Self::Viscous(_) => None,
        }
    }

    /// Returns the number of history variables.
    pub(super) fn count(&self) -> usize {
        match self {
            Self::None => 0,
            Self::Plastic(plasticity) => plasticity.count(),
            Self::Viscous(viscosity) => viscosity.count(),
        }
    }

    /// Whether these are valid values of the history variables.
    pub(super) fn admits(&self, variables: &[f64]) -> bool {
        match self {
            Self::None => variables.is_empty(),
            Self::Plastic(plasticity) => plasticity.admits(variables),
            Self::Viscous(viscosity) => viscosity.admits(variables),
        }
    }

    /// Appends the history variables.
    fn add_variables(&self, out: &mut Vec<f64>) {
        match self {
            Self::None => {}
            Self::Plastic(plasticity) => plasticity.add_variables(out),
            Self::Viscous(viscosity) => viscosity.add_variables(out),
        }
    }

    /// Returns the history of the same elements with these variables at the time `since` (s).
    pub(super) fn with_variables(&self, variables: &[f64], since: f64) -> Self {
        let mut other = self.clone();
        match &mut other {
            Self::None => {}
            Self::Plastic(plasticity) => plasticity.set_variables(variables, since),
            Self::Viscous(viscosity) => viscosity.set_variables(variables, since),
        }
        other
    }

    /// Appends the variables after the flow up to `time` (s); `elastic` returns the elastic deformation by group, point
    /// and inverse rest edges, and `volume` (m^3) is that of a point of each element.
    pub(super) fn flow(
        &self,
        time: f64,
        elastic: impl Fn(usize, usize, &Mat3x8) -> Mat3x8 + Sync,
        volume: impl Fn(usize, usize) -> Lane + Sync,
        variables: &mut Vec<f64>,
    ) -> FlowHeat {
        let mut after = self.clone();
        let heat = match &mut after {
            Self::None => FlowHeat::default(),
            Self::Plastic(plasticity) => {
                let overstress = plasticity.overstress(time, &elastic, &volume);
                let plastic = plasticity.flow(time, elastic, volume);
                FlowHeat { plastic, overstress, ..FlowHeat::default() }
            }
            Self::Viscous(viscosity) => viscosity.flow(time, elastic, volume),
        };
        after.add_variables(variables);
        heat
    }

    /// Whether there are history variables.
    pub(super) fn is_present(&self) -> bool {
        !matches!(self, Self::None)
    }

    /// Returns the work (J) of the explicit dependence of the potential on time up to `time`: the energy that
    /// relaxation and overstress dissipate during the step.
    pub(super) fn work(
        &self,
        time: f64,
        elastic: impl Fn(usize, usize, &Mat3x8) -> Mat3x8 + Sync,
        volume: impl Fn(usize, usize) -> Lane + Sync,
    ) -> f64 {
        match self {
            Self::None => 0.0,
            Self::Plastic(plasticity) => -plasticity.overstress(time, elastic, volume),
            Self::Viscous(viscosity) => -viscosity.relaxed(time, elastic, volume),
        }
    }
}
