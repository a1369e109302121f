//! The table has every numeric field, and a scene and the crates below accept the same numbers.

use super::rows::rows;
use super::{HELP, quantity};
use crate::assemble::integrator::method;
use crate::description::check_integrator;
use crate::description::problem::Checker;
use crate::description::{
    Alpha, Control, Correction, DecayPhase, Ground, Integrator, Model, Momentum, Quadrature,
    Target, Underlying,
};
use crate::schema::{Content, Type, Types};
use resile_energy::Lame;
use std::collections::BTreeSet;

fn holds_numbers(kind: &Type) -> bool {
    match kind {
        Type::Number | Type::Whole | Type::Either(_) => true,
        Type::Optional(kind) | Type::List(kind) | Type::Names(kind) => holds_numbers(kind),
        Type::Tuple(kinds) => kinds.iter().any(holds_numbers),
        _ => false,
    }
}

#[test]
fn every_numeric_field_has_one_row_and_every_row_a_field() {
    let types = Types::of_scenes();
    let mut fields = BTreeSet::new();
    for (owner, of) in &types.fields {
        let numeric = of.iter().filter(|(_, field)| holds_numbers(&field.holds));
        fields.extend(numeric.map(|(field, _)| format!("{owner}.{field}")));
    }
    for (owner, alternatives) in &types.alternatives {
        for (name, content) in alternatives {
            if matches!(content, Content::Value(kind) if holds_numbers(kind)) {
                fields.insert(format!("{owner}::{name}.0"));
            }
        }
    }
    let rows: BTreeSet<_> = rows().map(|(owner, field, ..)| format!("{owner}.{field}")).collect();
    let missing: Vec<_> = fields.difference(&rows).collect();
    let unknown: Vec<_> = rows.difference(&fields).collect();
    assert!(missing.is_empty() && unknown.is_empty(), "missing {missing:?}, unknown {unknown:?}");
}

#[test]
fn every_remedy_belongs_to_a_row() {
    for (owner, variant, field, help) in HELP {
        assert_eq!(quantity(owner, variant, field).map(|q| q.help), Some(help));
    }
}

/// Whether the scene takes the integrator.
fn is_right(integrator: &Integrator) -> bool {
    let mut c = Checker::default();
    c.numbers(integrator);
    check_integrator::integrator(&mut c, integrator);
    c.problems.is_empty()
}

fn a_search(
    limits: [f64; 2],
    control: Control,
    correction: Correction,
    target: Target,
) -> Integrator {
    let [alpha_min, alpha_max] = limits;
    let momentum = Momentum::default();
    Integrator::ASearch { alpha_min, alpha_max, control, target, momentum, correction }
}

fn controlled(control: Control) -> Integrator {
    a_search([0.0, 1.1], control, Correction::Plain, Target::default())
}

fn corrected(correction: Correction) -> Integrator {
    a_search([0.0, 1.1], Control::Deadbeat, correction, Target::default())
}

fn aimed(target: Target) -> Integrator {
    let target = Target { ground: Some(Ground::Joules(0.0)), ..target };
    a_search([0.0, 1.1], Control::Deadbeat, Correction::Plain, target)
}

#[test]
fn a_scene_and_the_integrators_accept_the_same_parameters() {
    let integrators: [fn(f64) -> Integrator; 18] = [
        |theta| Integrator::ThetaInner { theta },
        |theta| Integrator::ThetaOuter { theta },
        |beta| Integrator::Newmark { beta, gamma: 0.5 },
        |gamma| Integrator::Newmark { beta: 0.25, gamma },
        |rho_inf| Integrator::GeneralizedAlpha { rho_inf },
        |tolerance| Integrator::Blend { tolerance, target: Target::default() },
        |dead_band| controlled(Control::Sparse { dead_band }),
        |gain| controlled(Control::Filtered { gain, memory: 0.1 }),
        |memory| controlled(Control::Filtered { gain: 0.1, memory }),
        |c| corrected(Correction::Resolved { c }),
        |elastic| corrected(Correction::Split { elastic }),
        |least| a_search([least, 1.1], Control::Deadbeat, Correction::Plain, Target::default()),
        |most| a_search([0.5, most], Control::Deadbeat, Correction::Plain, Target::default()),
        |scale| aimed(Target { scale, ..Target::default() }),
        |tau| {
            let decay = vec![DecayPhase { start: 0.0, tau: Some(tau) }];
            aimed(Target { decay, ..Target::default() })
        },
        |nodes| Integrator::Avf { quadrature: Quadrature::Gauss { nodes: nodes as u32 } },
        |nodes| Integrator::Avf { quadrature: Quadrature::NewtonCotes { nodes: nodes as u32 } },
        |alpha_max| Integrator::Decoupled {
            method: Underlying::Trapezoidal,
            alpha: Alpha::Search {
                alpha_min: 0.5,
                alpha_max,
                control: Control::Deadbeat,
                target: Target::default(),
            },
        },
    ];
    let values = [-1.0, -1e-9, 0.0, 1e-9, 0.5, 1.0, 1.0 + 1e-9, 1.1, 2.0, 5.0, 6.0];
    for integrator in integrators {
        for value in values.into_iter().chain([f64::INFINITY, f64::NAN]) {
            let described = integrator(value);
            let of_crate = method(&described).and_then(|method| method.check());
            assert_eq!(is_right(&described), of_crate.is_ok(), "{described:?}: {of_crate:?}");
        }
    }
}

#[test]
fn a_scene_and_the_materials_accept_the_same_moduli() {
    let moduli = [-1.0, 0.0, 1.0, 1e9, f64::INFINITY, f64::NAN];
    let ratios = [-2.0, -1.0, -0.999, 0.0, 0.499, 0.5, 1.0, f64::NAN];
    for (young, poisson) in moduli.into_iter().flat_map(|young| ratios.map(|ratio| (young, ratio)))
    {
        let mut c = Checker::default();
        c.numbers(&Model::NeoHookean { young, poisson });
        let of_crate = Lame::from_young_poisson(young, poisson);
        assert_eq!(c.problems.is_empty(), of_crate.is_ok(), "{young} Pa, {poisson}: {of_crate:?}");
    }
}
