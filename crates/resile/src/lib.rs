#![doc = include_str!("../README.md")]

#[cfg(feature = "scene")]
pub use resile_assembly as assembly;
pub use resile_contact as contact;
pub use resile_energy as energy;
#[cfg(feature = "scene")]
pub use resile_export as export;
pub use resile_expression as expression;
pub use resile_integrators as integrators;
pub use resile_linalg as linalg;
pub use resile_math as math;
pub use resile_mesh as mesh;
pub use resile_mesher as mesher;
pub use resile_plot as plot;
#[cfg(feature = "scene")]
pub use resile_record as record;
#[cfg(feature = "scene")]
pub use resile_render as render;
#[cfg(feature = "scene")]
pub use resile_runner as runner;
#[cfg(feature = "scene")]
pub use resile_scene as scene;
pub use resile_solver as solver;
pub use resile_sparse as sparse;
pub use resile_system as system;
#[cfg(feature = "scene")]
pub use resile_verify as verify;
#[cfg(feature = "scene")]
pub use resile_view as view;
pub use resile_watch as watch;
pub use resile_world as world;
