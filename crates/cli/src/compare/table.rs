//! A comparison as a table for terminals.

use super::row::MOMENTA;
use super::{Comparison, Outcome, VariantRow, short_number};
use crate::aligned::{aligned, table_cells};
use resile_scene::description::Units;
use std::fmt::Write as _;

/// Longer names of integrators are truncated to this number of characters.
const MAX_NAME_CHARS: usize = 40;

/// A column: its header, and the cell of a row.
type Column<'a> = (&'static str, Box<dyn Fn(&VariantRow) -> String + 'a>);

/// A header, one line per variant, and a caption that states the reference of the energies.
pub(crate) fn table(comparison: &Comparison) -> String {
    let units = comparison.units();
    let rows = comparison.converted_rows();
    let started_rows = || rows.iter().filter(|row| row.start_energy.is_some());
    let is_relative = started_rows().all(|row| row.end_relative.is_some());
    let mut out = aligned(&table_cells(&columns(is_relative), &rows), &[2]);
    if let Some(first) = started_rows().next() {
        let _ = writeln!(out, "{}\n", caption(first, is_relative, units));
    }
    out.truncate(out.trim_end().len());
    out.push('\n');
    out
}

/// The columns. Energies are divided by the initial energy if `is_relative`, and otherwise in the unit of energy.
fn columns<'a>(is_relative: bool) -> Vec<Column<'a>> {
    let energy = move |joules: Option<f64>, relative_energy: Option<f64>| {
        number(if is_relative { relative_energy } else { joules })
    };
    let count = |n: Option<u64>| n.map_or("-".to_owned(), |n| n.to_string());
    vec![
        ("integrator", Box::new(|row| shorten(&row.integrator))),
        ("h", Box::new(|row| row.step.clone())),
        ("status", Box::new(status_text)),
        ("E end", Box::new(move |row| energy(row.end_energy, row.end_relative))),
        ("E min", Box::new(move |row| energy(row.min_energy, row.min_relative))),
        ("E max", Box::new(move |row| energy(row.max_energy, row.max_relative))),
        ("E mean", Box::new(|row| number(row.mean_relative))),
        ("swing", Box::new(|row| number(row.swing_relative))),
        ("noise", Box::new(|row| number(row.noise_relative))),
        ("|dp|", Box::new(|row| number(row.momentum_change))),
        ("|dL|", Box::new(|row| number(row.angular_change))),
        ("bounce", Box::new(|row| number(row.restitution))),
        ("Newton", Box::new(move |row| count(row.newton_iterations))),
        ("seconds", Box::new(|row| row.wall_seconds.map_or("-".to_owned(), |s| format!("{s:.1}")))),
    ]
}

/// How the run of a variant ended; with the simulated time unless it is complete or was not run.
fn status_text(row: &VariantRow) -> String {
    let stopped_at = |word: &str| format!("{word} at {} s", number(Some(row.simulated_seconds)));
    match row.status {
        Outcome::Complete => "complete".to_owned(),
        Outcome::Failed => stopped_at("FAILED"),
        Outcome::Interrupted => stopped_at("interrupted"),
        Outcome::NotRun => "not run".to_owned(),
    }
}

/// The caption: what the energies are relative to, and the units of the momenta.
fn caption(row: &VariantRow, is_relative: bool, units: Units) -> String {
    let joule = units.name("J");
    let [linear, angular] = MOMENTA.map(|si| units.symbol(si));
    let start = row.start_energy.unwrap_or(0.0);
    let ground = row.ground_energy.unwrap_or(0.0);
    let ground_text = match row.ground_energy {
        Some(_) => format!(" above the ground of {} {joule}", number(Some(ground))),
        None => String::new(),
    };
    let energies = match is_relative {
        true => format!(
            "E: over the {} {joule}{ground_text} at the start",
            number(Some(start - ground))
        ),
        false => format!("E: in {joule}, because the initial energy is not positive"),
    };
    format!("{energies}; |dp| in {linear}, |dL| in {angular}. `sim compare --help` explains.")
}

/// A name truncated to [`MAX_NAME_CHARS`].
fn shorten(name: &str) -> String {
    let cut: String = name.chars().take(MAX_NAME_CHARS).collect();
    if cut.len() < name.len() { format!("{cut}...") } else { cut }
}

/// A short number, or `-`.
fn number(value: Option<f64>) -> String {
    value.map_or("-".to_owned(), short_number)
}
