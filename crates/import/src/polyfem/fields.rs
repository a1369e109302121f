//! Fields of the objects of a problem, by `json-specs/input-spec.json` of `PolyFEM` and `nonlinear-solver-spec.json` of
//! `polysolve`, and features in them that no scene has.

use super::reader::Reader;

/// Objects by their paths, in which `*` stands for each item of a list, with the names of their fields. Objects whose
/// fields depend on a type or shape are checked where they are read. `output`, `tests` and `solver/linear`, which have
/// no effect on the scene, are not checked.
const OBJECTS: [(&str, &[&str]); 23] = [
    ("units", &["length", "mass", "time", "characteristic_length"]),
    (
        "space",
        &[
            "discr_order",
            "discr_orderq",
            "pressure_discr_order",
            "basis_type",
            "poly_basis_type",
            "use_p_ref",
            "remesh",
            "advanced",
        ],
    ),
    ("space/discr_order/*", &["id", "order"]),
    (
        "space/remesh",
        &["enabled", "split", "collapse", "swap", "smooth", "local_relaxation", "type"],
    ),
    (
        "space/advanced",
        &[
            "discr_order_max",
            "isoparametric",
            "bc_method",
            "n_boundary_samples",
            "quadrature_order",
            "mass_quadrature_order",
            "use_corner_quadrature",
            "integral_constraints",
            "n_harmonic_samples",
            "force_no_ref_for_harmonic",
            "B",
            "h1_formula",
            "count_flipped_els",
            "count_flipped_els_continuous",
            "use_particle_advection",
        ],
    ),
    ("time", &["t0", "tend", "dt", "time_steps", "integrator", "quasistatic"]),
    (
        "contact",
        &[
            "enabled",
            "dhat",
            "dhat_percentage",
            "epsv",
            "friction_coefficient",
            "use_convergent_formulation",
            "use_area_weighting",
            "use_improved_max_operator",
            "use_physical_barrier",
            "collision_mesh",
            "periodic",
            "adhesion",
            "use_gcp_formulation",
            "alpha_t",
            "alpha_n",
        ],
    ),
    (
        "contact/collision_mesh",
        &["enabled", "mesh", "linear_map", "max_edge_length", "tessellation_type"],
    ),
    (
        "contact/adhesion",
        &[
            "adhesion_enabled",
            "dhat",
            "dhat_p",
            "dhat_a",
            "adhesion_strength",
            "tangential_adhesion_coefficient",
            "epsa",
        ],
    ),
    (
        "solver",
        &[
            "max_threads",
            "linear",
            "adjoint_linear",
            "nonlinear",
            "augmented_lagrangian",
            "contact",
            "rayleigh_damping",
            "advanced",
        ],
    ),
    (
        "solver/contact",
        &[
            "CCD",
            "friction_iterations",
            "tangential_adhesion_iterations",
            "friction_convergence_tol",
            "barrier_stiffness",
        ],
    ),
    ("solver/contact/CCD", &["broad_phase", "tolerance", "max_iterations"]),
    (
        "solver/augmented_lagrangian",
        &["initial_weight", "scaling", "max_weight", "eta", "error", "nonlinear", "strategy"],
    ),
    ("solver/augmented_lagrangian/nonlinear", &NONLINEAR),
    ("solver/nonlinear", &NONLINEAR),
    ("solver/nonlinear/line_search", &LINE_SEARCH),
    ("solver/augmented_lagrangian/nonlinear/line_search", &LINE_SEARCH),
    (
        "solver/advanced",
        &[
            "cache_size",
            "lump_mass_matrix",
            "lagged_regularization_weight",
            "lagged_regularization_iterations",
            "check_inversion",
            "jacobian_threshold",
            "characteristic_force_density",
            "characteristic_length",
        ],
    ),
    ("initial_conditions", &["solution", "velocity", "acceleration"]),
    ("initial_conditions/solution/*", &["id", "value"]),
    ("initial_conditions/velocity/*", &["id", "value"]),
    ("initial_conditions/acceleration/*", &["id", "value"]),
    ("input/data", &["state", "reorder"]),
];
/// Fields of a nonlinear solver.
const NONLINEAR: [&str; 24] = [
    "solver",
    "x_delta_tol",
    "grad_norm_tol",
    "rel_grad_norm_tol",
    "newton_decrement_tol",
    "rel_x_delta_tol",
    "first_grad_norm_tol",
    "x_delta",
    "f_delta",
    "grad_norm",
    "use_grad_norm",
    "norm_type",
    "max_iterations",
    "iterations_per_strategy",
    "line_search",
    "allow_out_of_iterations",
    "L-BFGS",
    "L-BFGS-B",
    "Newton",
    "ADAM",
    "StochasticADAM",
    "StochasticGradientDescent",
    "box_constraints",
    "advanced",
];
/// Fields of a line search.
const LINE_SEARCH: [&str; 10] = [
    "method",
    "use_grad_norm_tol",
    "min_step_size",
    "max_step_size_iter",
    "min_step_size_final",
    "max_step_size_iter_final",
    "default_init_step_size",
    "step_ratio",
    "Armijo",
    "RobustArmijo",
];

/// Refuses unknown fields, and global settings that no scene has.
pub(super) fn check(reader: &mut Reader<'_>) {
    for (path, names) in OBJECTS {
        match path.strip_suffix("/*") {
            None => reader.allow_only(path, names),
            Some(list) => {
                reader.items(list).iter().for_each(|item| reader.allow_only(item, names));
            }
        }
    }
    refuse_settings(reader);
}

/// Refuses settings that no scene has, and notes those without effect.
fn refuse_settings(reader: &mut Reader<'_>) {
    for without_effect in ["optimization", "default_params"] {
        if reader.get(without_effect).is_some() {
            reader.note(without_effect, "this has no effect on the simulation");
        }
    }
    if reader.get("patch").is_some() {
        reader.refuse("patch", "this changes a `common` file, which the file does not have");
    }
    if reader.text("input/data/state").is_some_and(|file| !file.is_empty()) {
        reader.refuse("input/data/state", "a start from the state in a file cannot be expressed");
    }
    if reader.flag("space/remesh/enabled", false) {
        reader.refuse("space/remesh", "meshes do not change in a run");
    }
    if reader.flag("space/use_p_ref", false) {
        reader.note("space/use_p_ref", "all elements of a body have the order of `discr_order`");
    }
    if reader.text("space/basis_type").is_some_and(|kind| kind != "Lagrange" && kind != "Bernstein")
    {
        reader.refuse("space/basis_type", "elements have the basis of Lagrange alone");
    }
    if reader.items("solver/rayleigh_damping").iter().any(|item| reader.get(item).is_some()) {
        reader.refuse("solver/rayleigh_damping", "damping of forms is not imported");
    }
    refuse_contact_settings(reader);
}

/// Refuses settings of contact that no scene has.
fn refuse_contact_settings(reader: &mut Reader<'_>) {
    if reader.flag("contact/periodic", false) {
        reader.refuse("contact/periodic", "periodic contact cannot be expressed");
    }
    if reader.get("contact/collision_mesh").is_some()
        && reader.flag("contact/collision_mesh/enabled", true)
    {
        reader.note(
            "contact/collision_mesh",
            "the surface of the bodies takes the place of this mesh",
        );
    }
    if reader.flag("contact/use_gcp_formulation", false) {
        reader.note("contact/use_gcp_formulation", "the barrier takes the place of this potential");
    }
}
