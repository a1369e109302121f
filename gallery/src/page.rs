//! `docs/gallery.md`.

use crate::film::Film;
use crate::plan::{BESIDE, SCENES, Shot};
use std::collections::BTreeMap;
use std::fmt::Write as _;

const HEAD: &str = "\
# Gallery

This page shows the built-in scenes in teaching order, with the figures of their runs. The *certificate* consists of the
smallest distance between any two surfaces, the smallest det F of any element, and the largest residual, over the ends of all
steps. `sim render` made all pictures, and no film was edited. Of runs that take longer than a few minutes only the beginning
is shown; the page says how much.

The films and their counts are from 2026-11-23 and 24; later builds take other numbers of iterations. Times are those of the
machine that made this page. It has two threads and ran other jobs at the same time, so they are upper bounds.
[benches/README.md](../benches/README.md) has times for comparison.

    cargo run --release -p resile-gallery      # makes this page and all its films

";

const BESIDE_HEAD: &str = "\
## Integrators side by side

Each row shows one scene, and only the integrator differs. A-search conserves the energy. Implicit Euler loses energy at a rate that
depends on the step, and BDF2 loses less: see [which one to take](integrators.md).

";

pub(crate) type Films = BTreeMap<String, Film>;

pub(crate) fn page(films: &Films) -> String {
    let mut page = String::from(HEAD);
    page.push_str(BESIDE_HEAD);
    for row in &BESIDE {
        beside(&mut page, row, films);
    }
    page.push_str("## Scenes\n\n");
    for shot in SCENES {
        scene(&mut page, shot, films.get(shot.name));
    }
    page.truncate(page.trim_end().len());
    page.push('\n');
    page
}

/// A table of films that play beside each other, if all of them are there.
fn beside(page: &mut String, row: &[Shot], films: &Films) {
    let found: Option<Vec<(&Shot, &Film)>> =
        row.iter().map(|shot| Some((shot, films.get(shot.name)?))).collect();
    let Some(found) = found else { return };
    let cells = |cell: &dyn Fn(&Shot, &Film) -> String| {
        let cells: Vec<String> = found.iter().map(|(shot, film)| cell(shot, film)).collect();
        format!("| {} |\n", cells.join(" | "))
    };
    let shown = found[0].1.durations[1];
    let _ = writeln!(page, "`{}`, {}:\n", row[0].scene, seconds(shown));
    page.push_str(&cells(&|_, film| film.integrator.clone()));
    page.push_str(&cells(&|_, _| "---".to_owned()));
    page.push_str(&cells(&|shot, film| {
        format!("![{} with {}](images/gallery/{}.gif)", shot.scene, film.integrator, shot.name)
    }));
    page.push_str(&cells(&|_, film| {
        format!("{} of computing, {} Newton iterations", seconds(film.seconds), film.newton)
    }));
    page.push('\n');
}

/// A scene with its film, if there is one.
fn scene(page: &mut String, shot: &Shot, film: Option<&Film>) {
    let summary = resile_scenes::named(shot.scene).map(|scene| scene.summary());
    let _ = writeln!(page, "### {}\n", shot.name);
    let _ = writeln!(
        page,
        "[{0}.ron](../scenes/{0}.ron): {1}",
        shot.scene,
        summary.unwrap_or_default()
    );
    let Some(film) = film else {
        let _ = writeln!(
            page,
            "There is no film of it yet: `cargo run --release -p resile-gallery -- {}` makes one.\n",
            shot.name
        );
        return;
    };
    let _ = writeln!(page, "\n![{0}](images/gallery/{0}.gif)\n", shot.name);
    let _ = writeln!(page, "| | |\n|---|---|");
    for (what, said) in rows(film) {
        let _ = writeln!(page, "| {what} | {said} |");
    }
    page.push('\n');
}

fn rows(film: &Film) -> Vec<(&'static str, String)> {
    let [whole, shown] = film.durations;
    let part = match shown < 0.999 * whole {
        true => format!("the first {} of {}", seconds(shown), seconds(whole)),
        false => format!("{}, all of it", seconds(whole)),
    };
    let count = |number: u64, one: &str, many: &str| {
        format!("{number} {}", if number == 1 { one } else { many })
    };
    let bodies = count(film.bodies, "body", "bodies");
    let tetrahedra = match film.tetrahedra {
        0 => String::new(),
        number => format!(", {}", count(number, "tetrahedron", "tetrahedra")),
    };
    let contact = match (film.d_hat, film.kappa) {
        (Some(d_hat), Some(kappa)) => format!("d_hat {d_hat:e} m, kappa {kappa:e} Pa"),
        (Some(d_hat), None) => format!("d_hat {d_hat:e} m"),
        _ => "none".to_owned(),
    };
    vec![
        ("shown", part),
        ("bodies", format!("{bodies}, {} nodes{tetrahedra}", film.nodes)),
        ("materials", film.materials.join("; ")),
        ("contact", contact),
        ("integrator", format!("{}, steps of {}", film.integrator, quantity(film.time_step, "s"))),
        (
            "took",
            format!(
                "{} on {}: {}, {} Newton iterations",
                seconds(film.seconds),
                count(film.threads as u64, "thread", "threads"),
                count(film.steps, "step", "steps"),
                film.newton
            ),
        ),
        ("certificate", certificate(film)),
        ("commands", film.commands.each_ref().map(|command| format!("`{command}`")).join("<br>")),
    ]
}

fn certificate(film: &Film) -> String {
    let said = [
        film.min_distance.map(|x| format!("distance ≥ {}", quantity(x, "m"))),
        film.min_det_f.map(|x| format!("det F ≥ {x:.3}")),
        film.max_residual.map(|x| format!("residual ≤ {}", quantity(x, "m/s"))),
    ];
    said.into_iter().flatten().collect::<Vec<_>>().join(", ")
}

/// With three digits.
fn quantity(value: f64, unit: &str) -> String {
    if (1e-3..1e4).contains(&value.abs()) {
        let digits = (2.0 - value.abs().log10().floor()).clamp(0.0, 6.0) as usize;
        return format!("{value:.digits$} {unit}");
    }
    format!("{value:.2e} {unit}")
}

fn seconds(value: f64) -> String {
    match value {
        value if value < 10.0 => format!("{} s", (10.0 * value).round() / 10.0),
        value if value < 120.0 => format!("{} s", value.round()),
        value => format!("{} min", (value / 6.0).round() / 10.0),
    }
}
