//! What a page costs: a measurement, made when asked for.

use crate::driver::{Browser, Screen, url};
use std::path::PathBuf;
use std::time::Instant;

/// Decoding, uploading and drawing of a hundred pictures over the film, in milliseconds, as `[median, largest]`.
const COSTS: &str = "(() => {
  const { film, clock } = resile, costs = [];
  for (let k = 0; k < 100; k++) {
    // Between two frames, where both are decoded and mixed.
    clock.playing = true;
    clock.time = film.times[0] + (k + 0.37) / 100 * (film.times.at(-1) - film.times[0]);
    resile.tick(0);
    costs.push({ ...resile.cost });
  }
  clock.playing = false;
  return ['decode', 'upload', 'draw'].map(name => {
    const all = costs.map(cost => cost[name]).sort((a, b) => a - b);
    return `${name} ${all[50].toFixed(2)} ms, at most ${all[99].toFixed(2)}`;
  }).join('; ');
})()";

/// `RESILE_PAGE=out/dice/view.html cargo test --release -p resile-view --test browser -- --ignored --nocapture cost`.
/// Drawing is what the script takes to tell the graphics card: the card's own work comes on top.
#[test]
#[ignore = "a measurement"]
#[allow(clippy::print_stderr, reason = "a measurement is there to be read")]
fn page_cost() {
    let page = std::env::var("RESILE_PAGE").expect("RESILE_PAGE names a page");
    let page = PathBuf::from(page).canonicalize().expect("the page is there");
    let Some(mut browser) = Browser::start() else { return };
    let start = Instant::now();
    browser.open(&url(&page), Screen { size: [1280, 900], ..Screen::default() });
    let whole = start.elapsed().as_secs_f64();
    let [points, triangles] =
        ["resile.surface.positions.length / 3", "resile.surface.triangles.length / 3"]
            .map(|expression| browser.evaluate(expression).to_string());
    eprintln!("{}: {points} points, {triangles} triangles", page.display());
    eprintln!("open and decoded in {whole:.2} s; {}", browser.text(COSTS));
}
