//! A body: nodes, masses, and the terms that act on them alone.

use crate::{Dissipation, Energy, Held, Motion, Vec3};

/// A node whose position is given, in all directions or in some, and not solved for.
#[derive(Debug, Clone, PartialEq)]
pub struct Prescribed {
    /// The node, counted within its body.
    pub node: usize,
    /// Where the motion takes it from (m): its position while the pose of the motion is that
    /// of the start, as it mostly is at time zero. An obstacle whose first key puts it
    /// somewhere else is never there.
    pub start: Vec3,
    /// How it moves.
    pub motion: Motion,
    /// When the node is released (s): it is free from the first step on that begins then or later. `None` for one that is held
    /// for ever.
    pub until: Option<f64>,
    /// In which directions: of several that hold one node these are orthogonal.
    pub held: Held,
}

/// A place at which a spring holds a point of a body.
#[derive(Debug, Clone, Copy, PartialEq)]
pub struct Pivot {
    /// Where it is (m); it does not move.
    pub place: Vec3,
    /// Stiffness of the spring (N/m).
    pub stiffness: f64,
}

/// How a body turns where no force acts on it but gravity and what holds it.
#[derive(Debug, Clone, Default, PartialEq)]
pub enum Flight {
    /// Each node goes straight on, and the forces that hold the body together turn it.
    #[default]
    Straight,
    /// As the rigid body of its present shape turns: for bodies that hardly deform, so that
    /// integrators need not resolve the forces that hold them together.
    Rigid,
    /// As the rigid body of its present shape turns about a place, or about the axis through all of
    /// these. The springs that hold it there are a term like others.
    Pivoted(Vec<Pivot>),
}

impl Flight {
    /// Notes that the body is held at these places.
    pub fn hold(&mut self, places: impl IntoIterator<Item = Pivot>) {
        match self {
            Self::Straight => {}
            Self::Rigid => *self = Self::Pivoted(places.into_iter().collect()),
            Self::Pivoted(own) => own.extend(places),
        }
    }
}

/// A body. Its terms number its nodes from zero.
#[derive(Debug, Default)]
pub struct Body {
    /// What messages and files call it.
    pub name: String,
    /// Lumped mass of each node (kg); positive but for nodes that are prescribed.
    pub masses: Vec<f64>,
    /// Potentials of the body's positions.
    pub energies: Vec<Box<dyn Energy>>,
    /// Dissipation potentials of the body's velocities.
    pub dissipations: Vec<Box<dyn Dissipation>>,
    /// Nodes that are held or moved.
    pub prescribed: Vec<Prescribed>,
    /// The energy (J) towards which a decaying target leads: that of the body at
    /// rest. What it is counted from is what the body's terms count from.
    pub ground_energy: f64,
    /// How it turns where no force acts.
    pub flight: Flight,
    /// Whether integrators take it along the parabola of its uniform fields as long as nothing else [acts on it from
    /// outside](Self::is_free) and it presses on nothing that stands still or is moved. Otherwise a field is a force like others, and methods of first
    /// order fall by `h g t / 2` (m) too far.
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
        self.energies.push(Box::new(energy));
        self
    }

    /// The body with one more dissipation.
    #[must_use]
    pub fn with_dissipation(mut self, dissipation: impl Dissipation + 'static) -> Self {
        self.dissipations.push(Box::new(dissipation));
        self
    }

    /// Whether the body is an obstacle that moves: every node is prescribed for ever, and no term acts.
    pub fn is_kinematic(&self) -> bool {
        let no_terms = self.energies.is_empty() && self.dissipations.is_empty();
        let for_ever = || self.prescribed.iter().all(|prescribed| prescribed.until.is_none());
        no_terms && !self.masses.is_empty() && self.is_held() && for_ever()
    }

    /// Whether every node is held in all directions.
    pub fn is_held(&self) -> bool {
        let whole = self.prescribed.iter().filter(|prescribed| prescribed.held == Held::All);
        whole.count() == self.masses.len()
    }

    /// The acceleration (m/s^2) of uniform fields at `time` (s).
    pub fn uniform_acceleration(&self, time: f64) -> Vec3 {
        self.energies.iter().map(|energy| energy.uniform_acceleration(time)).sum()
    }

    /// Whether nothing but uniform fields acts on it from outside, but for couplings: no node is prescribed, and no
    /// term ties it to a place or brakes it against what is around it.
    pub fn is_free(&self) -> bool {
        self.prescribed.is_empty()
            && self.energies.iter().all(|energy| energy.is_translation_invariant())
            && self.dissipations.iter().all(|term| term.is_galilean_invariant())
    }

    /// Gives its terms their internal variables, of all terms in their order; of an empty slice
    /// those of virgin terms.
    pub fn set_internal(&mut self, variables: &[f64]) {
        let mut rest = variables;
        for energy in &mut self.energies {
            let (own, others) = rest.split_at(energy.internal_count().min(rest.len()));
            energy.set_internal(own);
            rest = others;
        }
    }

    /// Whether these are variables that its terms could have been left with.
    pub fn admits_internal(&self, variables: &[f64]) -> bool {
        if variables.is_empty() {
            return true;
        }
        let mut rest = variables;
        for energy in &self.energies {
            let Some((own, others)) = rest.split_at_checked(energy.internal_count()) else {
                return false;
            };
            if !energy.admits_internal(own) {
                return false;
            }
            rest = others;
        }
        rest.is_empty()
    }

    /// The number of internal variables of all terms.
    pub fn internal_count(&self) -> usize {
        self.energies.iter().map(|energy| energy.internal_count()).sum()
    }

    /// Number of nodes.
    pub fn node_count(&self) -> usize {
        self.masses.len()
    }
}
