#![doc = include_str!("../README.md")]
//! # Design
//!
//! Elastic materials, springs, fields, attachments, joints and damping, with one file per term.
//!
//! The local mathematics of a material ([`material`]) is pure: a deformation gradient and the parameters of its
//! element in; strain energy density, stress and Hessian blocks out. Shape functions are applied once for all
//! materials ([`TetElasticity`]), and sums over elements, with their threads, are written once for all energies
//! ([`Gather`]). A material is therefore one file and one variant of [`Material`], and an element energy defines
//! only the contribution of one element. Neither contains a loop over elements.
//!
//! # Groups of eight elements
//! Element evaluation is arithmetic on 3x3 matrices. One element has too little of it to fill a SIMD register, so
//! lanes run over elements instead. A group of eight is also the unit of storage, so that evaluation reads memory
//! in order.
//!
//! Other terms are cheap and need no lanes: springs, fields, pressure, penalty contact, potentials
//! of single coordinates, and joints between two bodies. All terms that are switched in time use
//! a [`Schedule`]. Damping is a potential of velocity and implements another trait,
//! [`resile_system::Dissipation`].
//!
//! # What is deliberately absent
//! The time step.
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod affine;
mod anchor;
mod attachment;
mod central;
mod closed_surface;
mod cloth_springs;
mod coordinate;
mod damping;
mod deformable_line;
mod factor;
mod field_load;
mod follower;
mod force;
mod four_nodes;
mod gas;
mod gather;
mod gravity;
mod hydrostatic;
mod intervals;
mod joint;
mod load_points;
pub mod material;
mod patch_pressure;
mod wind;

mod pressure;
mod repulsion;
mod rod;
mod schedule;
mod shell;
mod springs;
mod step_bound;
mod surface_patch;
mod tet;
mod torque;
mod torsion;
mod triangles;
mod volume_springs;

pub use affine::{AffineBody, AffineError};
pub use anchor::{Anchor, AnchorError};
pub use attachment::{Attachment, AttachmentError, Spring};
pub use central::CentralField;
pub use cloth_springs::{ClothError, ClothStiffness, cloth_springs};
pub use coordinate::{CoordinateLaw, CoordinateTerm};
pub use damping::{
    EtherDrag, MassDamping, PointDrag, PointDragError, RigidPreservingDamping, StiffnessDamping,
    SuppliedForces,
};
pub use deformable_line::{DeformableLine, LineError, LineMaterial};
pub use factor::{Factor, Sine};
pub use field_load::{FieldLaw, FieldLoad};
pub use follower::{FollowerLaw, FollowerLoad};
pub use force::{Force, ForceError};
pub use gas::{Gas, GasError, GasLaw};
pub use gather::{Gather, GatherError};
pub use gravity::Gravity;
pub use hydrostatic::{Hydrostatic, Liquid};
pub use intervals::Intervals;
pub use joint::{Joint, JointBody, JointError, JointShape, Joints, RestLengths};
pub use load_points::{LoadPoints, tetrahedron_rule};
pub use material::{
    ElastoPlastic, Fibre, FibreError, KinematicHardening, Lame, Material, MaterialError, Materials,
    Maxwell, MaxwellError, Model, ModelError, Ogden, RateDependence, VonMises, VonMisesError, Yeoh,
};
pub use patch_pressure::PatchPressure;
pub use pressure::{Pressure, PressureError};
pub use repulsion::{Repulsion, RepulsionError, Solid};
pub use rod::{
    CurvedRods, Motor, OpenEnds, RodBending, RodError, RodRest, RodSection, RodTwist, rod_springs,
    writhe,
};
pub use schedule::{Schedule, ScheduleError};
pub use shell::{
    Laminate, MembraneLaw, MomentYield, PlaneLame, PlateBending, PlateSection, PlateStiffness,
    RestAngles, SheetMaterial, ShellBending, ShellError, ShellMembrane,
};
pub use springs::{SpringElement, SpringLaw, Springs, SpringsError};
pub use surface_patch::SurfacePatch;
pub use tet::{ElementError, QuadraticTetElasticity, TetElasticity};
pub use torque::{SpreadTorque, TorqueError};
pub use torsion::{Torsion, TorsionElement, TorsionError};
pub use triangles::TriangleError;
pub use volume_springs::{VolumeError, VolumeSprings};
pub use wind::{Air, Wind};

/// Lower bound of divisors of quotients whose numerators vanish with them, so that 0/0 is 0. It is far below any
/// product of two lengths or strains.
const DIVISION_GUARD: f64 = 1e-300;
