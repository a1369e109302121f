//! The Python module `resile._resile`: scenes, runs, simulations, meshes and contact with NumPy arrays.
//!
//! The package around it (`crates/python/python/resile`) is what users import; this crate converts arguments, checks
//! them, and does the work with the interpreter released.

mod arrays;
mod attended;
mod contact;
mod counts;
mod errors;
mod foreign;
mod look;
mod many;
mod memory_run;
mod mesh;
mod playback;
mod pool;
mod run;
mod scene;
mod simulation;
mod sweep;
mod value;

/// The compiled part of the package `resile`.
#[pyo3::pymodule(gil_used = false)]
mod _resile {
    #[pymodule_export]
    use crate::contact::{CandidateList, CollisionMesh, Friction, Lagged, Potential, barrier};
    #[pymodule_export]
    use crate::look::{render, verify, write_page};
    #[pymodule_export]
    use crate::many::run_many;
    #[pymodule_export]
    use crate::memory_run::{MemoryRun, copy_of_run};
    #[pymodule_export]
    use crate::mesh::{mesh_arrays, mesh_info, read_mesh, remesh, write_mesh};
    #[pymodule_export]
    use crate::playback::{Playback, read_table};
    #[pymodule_export]
    use crate::run::run;
    #[pymodule_export]
    use crate::scene::{Scene, scenes};
    #[pymodule_export]
    use crate::simulation::Simulation;
    #[pymodule_export]
    use crate::sweep::{sweep_results, sweep_runs, sweep_table};

    /// Version of the library.
    #[pymodule_export]
    #[allow(non_upper_case_globals, reason = "it is what Python calls it")]
    const __version__: &str = env!("CARGO_PKG_VERSION");
}
