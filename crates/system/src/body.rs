//! A body: nodes, masses, and the terms that act on them alone.

use crate::{Dissipation, Energy, FlowHeat, Held, Motion, Vec3};
use std::sync::Arc;

/// A Dirichlet condition: a node whose position is prescribed in all or some directions.
#[derive(Debug, Clone, PartialEq)]
pub struct Prescribed {
    /// The node, counted within its body.
    pub node: usize,
    /// Its reference position (m), to which the pose of the motion is applied. It is the initial position
    /// unless the pose at time zero differs from the identity.
    pub start: Vec3,
    /// Its motion.
    pub motion: Motion,
    /// Time of release (s): the node is free from the first step that begins then or later. `None` holds it
    /// permanently.
    pub until: Option<f64>,
    /// The prescribed directions. If a node has several conditions, their directions are orthogonal.
    pub held: Held,
}

/// A fixed point at which a spring holds a point of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pivot {
    /// Its position (m).
    pub place: Vec3,
    /// Stiffness of the spring (N/m).
    pub stiffness: f64,
}

/// Rotation of a body under gravity and joints alone, without other forces.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Flight {
    /// Nodes move straight; internal forces make the body rotate.
    #[default]
    Straight,
    /// The rotation of a rigid body of the present shape: for stiff bodies, so that integrators need
    /// not resolve internal forces.
    Rigid,
    /// The rotation of a rigid body of the present shape about a fixed point, or about the axis through all
    /// pivots. The springs at the pivots are an ordinary term.
    Pivoted(Vec<Pivot>),
}

impl Flight {
    /// Adds pivots to a rigid or pivoted flight. A straight one is unchanged.
    pub fn hold(&mut self, new_pivots: impl IntoIterator<Item = Pivot>) {
        match self {
            Self::Straight => {}
            Self::Rigid => *self = Self::Pivoted(new_pivots.into_iter().collect()),
            Self::Pivoted(pivots) => pivots.extend(new_pivots),
        }
    }
}

/// A body. Its terms number its nodes from zero.
#[derive(Debug, Clone, Default)]
pub struct Body {
    /// Its name in messages and files.
    pub name: String,
    /// Lumped mass of each node (kg), positive for nodes that are not prescribed.
    pub masses: Vec<f64>,
    /// Potentials of the body's positions.
    pub energies: Vec<Arc<dyn Energy>>,
    /// Laws of dissipation.
    pub dissipations: Vec<Arc<dyn Dissipation>>,
    /// Dirichlet conditions.
    pub prescribed: Vec<Prescribed>,
    /// The limit (J) of a decaying energy target: the energy of the body at rest, with the same zero
    /// level as the terms of the body.
    pub ground_energy: f64,
    /// Speed (m/s) of shear waves, which carry the impulse of an impact through a solid: infinite for an affine body,
    /// zero for shells, rods and particles, whose points bounce one by one.
    pub wave_speed: f64,
    /// Its rotation without external forces.
    pub flight: Flight,
    /// Whether integrators use the exact parabola in uniform fields while no other [external force](Self::is_free) acts
    /// and there is no contact with obstacles. Otherwise the field is an ordinary force, and bodies fall by `h g t / 2`
    /// (m) too far with methods of first order.
    pub falls: bool,
}

impl Body {
    /// A body of free nodes without any term.
    pub fn new(name: impl Into<String>, masses: Vec<f64>) -> Self {
        Self { name: name.into(), masses, ..Self::default() }
    }

    /// The body with one more energy.
    #[must_use]
    pub fn with(mut self, energy: impl Energy + 'static) -> Self {
        self.energies.push(Arc::new(energy));
        self
    }

    /// The body with one more dissipation.
    #[must_use]
    pub fn with_dissipation(mut self, dissipation: impl Dissipation + 'static) -> Self {
        self.dissipations.push(Arc::new(dissipation));
        self
    }

    /// Whether an impact with restitution changes the motion of the whole body at once: a solid or an affine body
    /// without Dirichlet conditions.
    pub fn bounces_as_a_whole(&self) -> bool {
        self.wave_speed > 0.0 && self.prescribed.is_empty()
    }

    /// The distance (m) from a contact within which an impact with restitution changes the motion of the body in a step
    /// of `h` seconds.
    pub fn impulse_reach(&self, h: f64) -> f64 {
        match self.bounces_as_a_whole() || self.is_kinematic() {
            true => f64::INFINITY,
            false => self.wave_speed * h,
        }
    }

    /// Whether the body is a moving obstacle: every node is prescribed permanently, and there are no terms.
    pub fn is_kinematic(&self) -> bool {
        let no_terms = self.energies.is_empty() && self.dissipations.is_empty();
        let is_permanent = || self.prescribed.iter().all(|prescribed| prescribed.until.is_none());
        no_terms && !self.masses.is_empty() && self.is_held() && is_permanent()
    }

    /// Whether every node is held in all directions.
    pub fn is_held(&self) -> bool {
        let fully_held = self.prescribed.iter().filter(|prescribed| prescribed.held == Held::All);
        fully_held.count() == self.masses.len()
    }

    /// The acceleration (m/s^2) of uniform fields at `time` (s).
    pub fn uniform_acceleration(&self, time: f64) -> Vec3 {
        self.energies.iter().map(|energy| energy.uniform_acceleration(time)).sum()
    }

    /// Whether uniform fields are the only external forces apart from couplings: no node is prescribed, and all terms
    /// are translation invariant and Galilean invariant.
    pub fn is_free(&self) -> bool {
        self.prescribed.is_empty()
            && self.energies.iter().all(|energy| energy.is_translation_invariant())
            && self.dissipations.iter().all(|term| term.is_galilean_invariant())
    }

    /// The energies of the body with these history variables of all terms, in their order. `since` (s) is the time of
    /// the variables, minus infinity for terms that have relaxed. An empty slice is the virgin state.
    pub fn energies_with(&self, variables: &[f64], since: f64) -> Vec<Arc<dyn Energy>> {
        let mut remaining = variables;
        let energy_with = |energy: &Arc<dyn Energy>| match energy.inelastic() {
            None => energy.clone(),
            Some(inelastic) => {
                let (term_variables, tail) =
                    remaining.split_at(inelastic.internal_count().min(remaining.len()));
                remaining = tail;
                inelastic.with_internal(term_variables, since)
            }
        };
        self.energies.iter().map(energy_with).collect()
    }

    /// Whether its terms accept these history variables.
    pub fn admits_internal(&self, variables: &[f64]) -> bool {
        if variables.is_empty() {
            return true;
        }
        let mut remaining = variables;
        for inelastic in self.energies.iter().filter_map(|energy| energy.inelastic()) {
            let Some((values, tail)) = remaining.split_at_checked(inelastic.internal_count())
            else {
                return false;
            };
            if !inelastic.admits_internal(values) {
                return false;
            }
            remaining = tail;
        }
        remaining.is_empty()
    }

    /// Whether any term has history variables.
    pub fn is_inelastic(&self) -> bool {
        self.energies.iter().any(|energy| energy.inelastic().is_some())
    }

    /// Ends a step at `time` (s) at `x` (m) by the [flow](crate::Inelastic::flow) of all terms. Returns the history
    /// variables after it, and the heat.
    pub(crate) fn flow(&self, time: f64, x: &[Vec3]) -> (Arc<[f64]>, FlowHeat) {
        let (mut variables, mut heat) = (Vec::new(), FlowHeat::default());
        for inelastic in self.energies.iter().filter_map(|energy| energy.inelastic()) {
            heat += inelastic.flow(time, x, &mut variables);
        }
        (variables.into(), heat)
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.masses.len()
    }
}
