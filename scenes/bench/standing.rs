//! Writes the scenes of this folder that are many bodies standing one beside the other:
//!
//! ```text
//! cargo run -p resile-scenes --example standing
//! ```
//!
//! `domino.ron`, a spiral of dominoes, and `cards.ron`, a house of cards. Places are those of the
//! examples `domino` and `cards` of ppf-contact-solver (ZOZO), computed anew from their parameters.

use std::fmt::Write as _;
use std::path::Path;

fn main() -> std::io::Result<()> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("bench");
    std::fs::write(folder.join("domino.ron"), domino())?;
    std::fs::write(folder.join("cards.ron"), cards())
}

/// Gap (m) between what stands close to each other: a little less than `d_hat`, so that it touches.
const GAP: f64 = 0.0009;

/// A number as scenes have it: to the hundredth of a millimetre.
fn number(value: f64) -> f64 {
    (value * 1e5).round() / 1e5 + 0.0
}

const DOMINO_HEAD: &str = "\
// A spiral of dominoes falls, one after the other, after the first is hit by one that falls onto it. After the example
// `domino` of ppf-contact-solver (ZOZO): size of the blocks (8 nodes each), spiral, the block that falls, friction, nu,
// step, 250 frames at 30 a second, d_hat. E is 500 per unit of density there, as we read its defaults. Ours: kappa, slip
// speed, implicit Euler solved to a tolerance of 1 mm/s. Written by `standing.rs`.
";

/// Blocks on a spiral of two turns, from the outer end to the inner one.
fn domino() -> String {
    let (turns, steps, outer, inner, spacing) = (2.0, 4096, 1.0, 0.5, 0.15);
    let mut bodies = String::new();
    let mut last: Option<(f64, f64)> = None;
    let mut count = 0;
    for i in (0..steps).rev() {
        let along = f64::from(i) / f64::from(steps);
        let t = 2.0 * turns * std::f64::consts::PI * along - std::f64::consts::FRAC_PI_2;
        let r = inner + (outer - inner) * along;
        let (x, z) = (-r * t.cos(), r * t.sin());
        if last.is_some_and(|(a, b)| (x - a).hypot(z - b) <= spacing) {
            continue;
        }
        last = Some((x, z));
        block(
            &mut bodies,
            &format!("block{count}"),
            [x, 0.125 + GAP / 2.0, z],
            &around("y", t.to_degrees()),
        );
        count += 1;
    }
    let tilted = format!("{}, {}", around("y", 90.0), around("z", -20.0));
    block(&mut bodies, "first", [-0.1, 0.375, -outer], &tilted);
    let contact = contact(0.1, "1e5", "");
    format!(
        "{DOMINO_HEAD}(
    version: 2,
    materials: {{\"block\": (density: 1000, model: NeoHookean(young: 5e5, poisson: 0.49))}},
    bodies: [
{bodies}    ],
    gravity: (0, -9.8, 0),
{contact}    integrator: ImplicitEuler,
    time: (step: 0.01, duration: 8.34),
    solver: (tolerance: 1e-3),
    output: (frame_rate: 30),
)
"
    )
}

/// A rotation of a placement about an axis of the scene.
fn around(axis: &str, degrees: f64) -> String {
    let axis = match axis {
        "y" => "(0, 1, 0)",
        _ => "(0, 0, 1)",
    };
    format!("(axis: {axis}, degrees: {})", number(degrees))
}

fn block(out: &mut String, name: &str, at: [f64; 3], rotate: &str) {
    let [x, y, z] = at.map(number);
    writeln!(
        out,
        "        (name: \"{name}\", shape: Box(size: (0.1, 0.25, 0.025), cells: (1, 1, 1)), material: \"block\", \
         friction: 0.1, placement: (rotate: [{rotate}], translate: ({x}, {y}, {z}))),"
    )
    .expect("text");
}

/// A floor, and contact with these settings besides those that both scenes share.
fn contact(friction: f64, kappa: &str, more: &str) -> String {
    format!(
        "    obstacles: [Plane(name: \"floor\", point: (0, 0, 0), normal: (0, 1, 0), friction: {friction})],
    contact: Barrier(d_hat: 1e-3, kappa: {kappa}, friction_rule: Min{more}),
"
    )
}

const CARDS_HEAD: &str = "\
// A house of eight rows of cards, at which a ball is thrown. After the example `cards` of ppf-contact-solver (ZOZO):
// size, angle and arrangement of the cards, radius, place and speed of the ball, friction, step, d_hat. Stiffness in the
// plane of the cards is 3e4 per unit of mass there, and bending is stiff. Ours: cards 1 mm thick of 1 kg/m^2, of 3e7 Pa
// and a flexural rigidity of 3 N m, E of the ball 5e5 Pa, kappa, slip speed, implicit Euler solved to a tolerance of
// 1 mm/s. Written by `standing.rs`.
";

/// Half of what a card is wide in a row, lying or leaning, and half its height.
struct Card {
    degrees: f64,
    across: f64,
    up: f64,
}

const CARD_HEIGHT: f64 = 0.25;
const CARD_THICKNESS: f64 = 0.001;

impl Card {
    /// A card turned about z from the upright.
    fn turned(degrees: f64) -> Self {
        let (sin, cos) = degrees.abs().to_radians().sin_cos();
        Self { degrees, across: sin * CARD_HEIGHT / 2.0, up: cos * CARD_HEIGHT / 2.0 }
    }

    fn write(&self, out: &mut String, name: &str, x: f64, y: f64) {
        let [x, y] = [x, y].map(number);
        let rotate = format!(
            "(axis: (1, 0, 0), degrees: 90), (axis: (0, 1, 0), degrees: 90), {}",
            around("z", self.degrees)
        );
        writeln!(
            out,
            "        (name: \"{name}\", shape: Sheet(size: (0.1875, 0.25), cells: (7, 9)), kind: Shell(thickness: 0.001, \
             bending: Rigidity(3), bending_model: Hinges), material: \"card\", friction: 0.5, placement: (rotate: [{rotate}], \
             translate: ({x}, {y}, 0))),"
        )
        .expect("text");
    }
}

/// A row of `pairs` pairs that begins at `left` and stands on `floor`, and the cards on top of it.
/// Returns where the next row begins, and the height on which it stands.
fn row(out: &mut String, pairs: usize, left: f64, floor: f64) -> (f64, f64) {
    let gap = GAP + CARD_THICKNESS;
    let (rising, falling, lying) = (Card::turned(-25.0), Card::turned(25.0), Card::turned(90.0));
    let (mut x, mut tops) = (left, Vec::new());
    for pair in 0..pairs {
        let centre = x + rising.across;
        rising.write(out, &format!("left{pairs}-{pair}"), centre, floor + rising.up);
        let apex = x + 2.0 * rising.across + gap;
        falling.write(
            out,
            &format!("right{pairs}-{pair}"),
            apex + falling.across,
            floor + falling.up,
        );
        tops.push(apex + 2.0 * falling.across);
        x = apex + 2.0 * falling.across + gap;
    }
    let mut top = floor + 2.0 * rising.up + gap;
    for (i, x) in tops.iter().take(pairs - 1).enumerate() {
        let height = if i % 2 == 0 { top } else { top + gap };
        lying.write(out, &format!("flat{pairs}-{i}"), *x, height);
    }
    top += if pairs > 2 { 2.0 * gap } else { gap };
    (left + 2.0 * rising.across, top)
}

/// Rows of eight pairs down to one, and a ball that flies towards them.
fn cards() -> String {
    let mut bodies = String::new();
    let (mut left, mut floor) = (-0.75, GAP + CARD_THICKNESS / 2.0);
    for pairs in (1..=8).rev() {
        (left, floor) = row(&mut bodies, pairs, left, floor);
    }
    bodies.push_str(
        "        (name: \"ball\", shape: Ball(radius: 0.15, layers: 6), material: \"ball\", friction: 0.5, \
         placement: (translate: (-2, 1, 0.003)), velocity: (3, 0, 0)),\n",
    );
    let contact = contact(0.5, "1e5", ", start: AsPlaced");
    format!(
        "{CARDS_HEAD}(
    version: 2,
    materials: {{
        \"card\": (density: 1000, model: StVK(young: 3e7, poisson: 0.25)),
        \"ball\": (density: 1000, model: NeoHookean(young: 5e5, poisson: 0.35)),
    }},
    bodies: [
{bodies}    ],
    gravity: (0, -9.8, 0),
{contact}    integrator: ImplicitEuler,
    time: (step: 0.01, duration: 5),
    solver: (tolerance: 1e-3),
    output: (frame_rate: 60),
)
"
    )
}

#[cfg(test)]
mod tests {
    use super::{cards, domino};

    #[test]
    fn the_scenes_of_the_folder_are_those_that_are_written_here() {
        assert_eq!(domino(), include_str!("domino.ron"));
        assert_eq!(cards(), include_str!("cards.ron"));
    }

    #[test]
    fn a_house_of_eight_rows_has_72_leaning_and_28_lying_cards() {
        let house = cards();
        assert_eq!(house.matches("\"left").count(), 36);
        assert_eq!(house.matches("\"right").count(), 36);
        assert_eq!(house.matches("\"flat").count(), 28);
    }
}
