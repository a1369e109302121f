//! The contact parameters of each pair of colliders.

use super::body::PlacedBody;
use resile_contact::{CollisionFilter, PairTable, Side};
use resile_scene::description::{
    Body, Contact, DEFAULT_FRICTION, ExpandedBody, Kind, Obstacle, PairFriction, Scene,
};
use std::collections::BTreeMap;

/// Coefficients of the surface of a collider. Absent ones follow from the other surface of a pair.
struct SurfaceCoefficients {
    friction: f64,
    static_friction: Option<f64>,
    restitution: Option<f64>,
    contact_damping: Option<f64>,
    /// `None` for deformable surfaces, which have no angular velocity.
    rolling_friction: Option<f64>,
}

impl SurfaceCoefficients {
    fn of_body(body: &Body) -> Self {
        let is_rigid = body.kind == Kind::Affine;
        Self {
            friction: body.friction.unwrap_or(DEFAULT_FRICTION),
            static_friction: body.static_friction,
            restitution: body.restitution,
            contact_damping: body.contact_damping,
            rolling_friction: is_rigid.then_some(body.rolling_friction.unwrap_or(0.0)),
        }
    }

    fn of_obstacle(obstacle: &Obstacle) -> Self {
        let is_rigid = !matches!(obstacle, Obstacle::Animated { .. });
        Self {
            friction: obstacle.friction().unwrap_or(DEFAULT_FRICTION),
            static_friction: obstacle.static_friction(),
            restitution: obstacle.restitution(),
            contact_damping: obstacle.contact_damping(),
            rolling_friction: is_rigid.then_some(obstacle.rolling_friction().unwrap_or(0.0)),
        }
    }
}

/// The table of colliding pairs. Copies of a repeated body form a group that rules address by one name, and so do both
/// colliders of a moving obstacle. O(n log n) in bodies and rules.
pub(super) fn pair_table(scene: &Scene, expanded: &[ExpandedBody]) -> PairTable {
    let Contact::Barrier { friction_rule, restitution_rule, pairs, exclude, .. } = &scene.contact
    else {
        return PairTable::new(0);
    };
    let bodies = expanded
        .iter()
        .map(|ExpandedBody { source, body, .. }| (*source, SurfaceCoefficients::of_body(body)));
    let obstacle_coefficients = |(i, obstacle): (usize, &Obstacle)| {
        (scene.bodies.len() + i, SurfaceCoefficients::of_obstacle(obstacle))
    };
    let obstacles = scene.obstacles.iter().enumerate();
    // A moving obstacle has two collider indices: as a body, and one after all bodies, which is unused.
    let moving = obstacles.clone().filter(|(_, obstacle)| obstacle.moves());
    let colliders =
        bodies.chain(moving.map(obstacle_coefficients)).chain(obstacles.map(obstacle_coefficients));
    let (groups, coefficients): (Vec<u32>, Vec<SurfaceCoefficients>) =
        colliders.map(|(group, coefficients)| (group as u32, coefficients)).unzip();
    let of_colliders = |coefficient: fn(&SurfaceCoefficients) -> Option<f64>| -> Vec<Option<f64>> {
        coefficients.iter().map(coefficient).collect()
    };
    let friction = coefficients.iter().map(|surface| surface.friction).collect();
    let mut table = PairTable::of_groups(groups)
        .with_friction(*friction_rule, friction)
        .with_static_friction(of_colliders(|surface| surface.static_friction))
        .with_restitution(*restitution_rule, of_colliders(|surface| surface.restitution))
        .with_contact_damping(of_colliders(|surface| surface.contact_damping))
        .with_rolling_friction(of_colliders(|surface| surface.rolling_friction));
    if !pairs.is_empty() || !exclude.is_empty() {
        apply_rules(&mut table, (pairs, exclude), &sides_by_name(scene, expanded));
    }
    table
}

/// Sets the coefficients of pairs, and removes excluded pairs. Later rules override earlier ones, so a rule for a group can be
/// refined for a copy.
fn apply_rules(
    table: &mut PairTable,
    (pairs, exclude): (&[PairFriction], &[(String, String)]),
    side_by_name: &BTreeMap<&str, Side>,
) {
    // Invalid bodies are not in the table.
    let pair_sides = |a: &String, b: &String| {
        Some((*side_by_name.get(a.as_str())?, *side_by_name.get(b.as_str())?))
    };
    for pair in pairs {
        let Some((a, b)) = pair_sides(&pair.a, &pair.b) else { continue };
        if let Some(mu) = pair.friction {
            table.set_friction(a, b, mu);
        }
        if let Some(mu) = pair.static_friction {
            table.set_static_friction(a, b, mu);
        }
        if let Some(e) = pair.restitution {
            table.set_restitution(a, b, e);
        }
        if let Some(time) = pair.contact_damping {
            table.set_contact_damping(a, b, time);
        }
        if let Some(rho) = pair.rolling_friction {
            table.set_rolling_friction(a, b, rho);
        }
    }
    for (a, b) in exclude.iter().filter_map(|(a, b)| pair_sides(a, b)) {
        table.set_filter(a, b, CollisionFilter::Ignored);
    }
}

/// Distances below which contact forces act between colliders.
pub(super) struct ContactRanges {
    table: PairTable,
    d_hat: f64,
    /// Half thickness of each body (m); fixed obstacles have none.
    half_thicknesses: Vec<f64>,
}

impl ContactRanges {
    /// The ranges of all pairs of colliders.
    pub(super) fn new(scene: &Scene, expanded: &[ExpandedBody], placed: &[PlacedBody]) -> Self {
        let half_thicknesses = placed.iter().map(|body| 0.5 * body.thickness).collect();
        let (table, d_hat) = match &scene.contact {
            Contact::Barrier { d_hat, .. } => (pair_table(scene, expanded), *d_hat),
            Contact::Off => (PairTable::new(0), 0.0),
        };
        Self { table, d_hat, half_thicknesses }
    }

    /// The range of two colliders (m); zero if they do not collide.
    pub(super) fn of_pair(&self, a: usize, b: usize) -> f64 {
        if self.d_hat == 0.0 || !self.table.collide(a, b) {
            return 0.0;
        }
        let half_thickness = |k: usize| self.half_thicknesses.get(k).copied().unwrap_or(0.0);
        self.d_hat + half_thickness(a) + half_thickness(b)
    }
}

/// The sides of pairs by the names that rules use: of a body with all its copies, of a single copy, or of an obstacle.
fn sides_by_name<'a>(scene: &'a Scene, expanded: &'a [ExpandedBody]) -> BTreeMap<&'a str, Side> {
    let bodies = scene.bodies.iter().map(|body| body.name.as_str());
    let groups = bodies.chain(scene.obstacles.iter().map(Obstacle::name)).enumerate();
    let repeated = expanded.iter().enumerate();
    let repeated = repeated.filter(|(_, copy)| scene.bodies[copy.source].repeat.is_some());
    repeated
        .map(|(collider, copy)| (copy.body.name.as_str(), Side::Collider(collider)))
        .chain(groups.map(|(group, name)| (name, Side::Group(group))))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_scene::text::SceneText;

    /// Three dice (the last with less friction), a ball, a moving drum and a floor.
    fn table(pairs: &str, exclude: &str) -> PairTable {
        let text = format!(
            r#"(
                version: 2,
                materials: {{ "m": (density: 1000, model: NeoHookean(young: 1e6, poisson: 0.3)) }},
                bodies: [
                    (name: "dice", shape: Box(size: (1, 1, 1), cells: (1, 1, 1)), kind: Affine, material: "m",
                     repeat: Row(count: 3, step: (2, 0, 0), vary: [Friction(List([0.3, 0.3, 0.2]))])),
                    (name: "ball", shape: Sphere(radius: 1, subdivisions: 0), kind: Affine, material: "m",
                     friction: 0.5, placement: (translate: (0, 0, 5))),
                ],
                obstacles: [
                    Shape(name: "drum", shape: Sphere(radius: 1, subdivisions: 0), friction: 0.6,
                     placement: (translate: (0, 0, 9)), motion: Move(velocity: (0, 0, 1))),
                    Plane(name: "floor", point: (0, -5, 0), normal: (0, 1, 0), friction: 0.4),
                ],
                contact: Barrier(d_hat: 1e-3, kappa: 1e6, friction_rule: Min, pairs: [{pairs}], exclude: [{exclude}]),
                gravity: (0, 0, 0),
                integrator: ImplicitEuler,
                time: (step: 0.01, duration: 1),
            )"#
        );
        let scene = SceneText::new("test.ron", text).read().expect("it is a scene");
        pair_table(&scene, &scene.expand())
    }

    const DICE: usize = 0;
    const BALL: usize = 3;
    const DRUM: usize = 4;
    const FLOOR: usize = 6;

    #[test]
    fn friction_coefficients_without_pair_rules_are_combined() {
        let table = table("", "");
        assert_eq!(table.colliders(), 7, "four bodies, and twice an obstacle that moves");
        assert_eq!(table.friction(DICE, DICE + 1), 0.3);
        assert_eq!(table.friction(DICE + 2, BALL), 0.2);
        assert_eq!([table.friction(BALL, DRUM), table.friction(BALL, FLOOR)], [0.5, 0.4]);
        assert!((0..7).all(|a| (0..7).all(|b| table.collide(a, b))));
    }

    #[test]
    fn pair_rule_by_name_covers_all_copies_and_the_last_rule_applies() {
        let table = table(
            r#"(a: "dice", b: "floor", friction: 0.9), (a: "floor", b: "dice[1]", friction: 0.1),
               (a: "dice[0]", b: "dice", friction: 0.7)"#,
            r#"("ball", "dice[2]"), ("drum", "dice")"#,
        );
        assert_eq!([0, 1, 2].map(|k| table.friction(DICE + k, FLOOR)), [0.9, 0.1, 0.9]);
        assert_eq!(table.friction(DICE + 2, DICE), 0.7);
        assert_eq!([table.friction(DICE, DICE), table.friction(DICE + 1, DICE + 2)], [0.7, 0.2]);
        assert_eq!([0, 1, 2].map(|k| table.collide(BALL, DICE + k)), [true, true, false]);
        assert!((0..3).all(|k| !table.collide(DICE + k, DRUM) && table.collide(DICE + k, FLOOR)));
    }
}
