//! Paths of pairs that are hard on collision detection, drawn at random.

use resile_contact::Vec3;
use resile_contact::distance::{Closest, PairKind};
use std::array::from_fn;

/// A question for `time_of_impact`.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Query {
    pub(crate) kind: PairKind,
    pub(crate) from: [Vec3; 4],
    pub(crate) to: [Vec3; 4],
    pub(crate) min_separation: f64,
}

/// Splitmix64 (Steele, Lea, Flood 2014).
#[derive(Debug)]
pub(crate) struct Random(u64);

impl Random {
    /// The numbers of one case of a seed.
    pub(crate) fn new(seed: u64, case: u64) -> Self {
        let mut random = Self(seed);
        let offset = random.next();
        Self(offset ^ case.wrapping_mul(0x1234_5678_9abc_def1))
    }

    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let z = (self.0 ^ (self.0 >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        let z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    /// Between zero and one.
    fn fraction(&mut self) -> f64 {
        (self.next() >> 11) as f64 / (1u64 << 53) as f64
    }

    fn between(&mut self, low: f64, high: f64) -> f64 {
        low + (high - low) * self.fraction()
    }

    /// A power of ten.
    fn power(&mut self, low: f64, high: f64) -> f64 {
        10f64.powf(self.between(low, high))
    }

    fn choice<T: Copy>(&mut self, of: &[T]) -> T {
        of[self.below(of.len() as u64) as usize]
    }

    fn point(&mut self) -> Vec3 {
        Vec3::from_array(from_fn(|_| self.between(-1.0, 1.0)))
    }

    fn points(&mut self) -> [Vec3; 4] {
        from_fn(|_| self.point())
    }

    /// Of few integers, so that much coincides.
    fn grid(&mut self) -> Vec3 {
        Vec3::from_array(from_fn(|_| self.below(5) as f64 - 2.0))
    }

    /// With twenty bits, so that sums and small multiples are exact.
    fn short(&mut self) -> Vec3 {
        (self.point() * 1_048_576.0).round() / 1_048_576.0
    }
}

/// A family's name, and how one of it is drawn.
pub(crate) type Family = (&'static str, fn(&mut Random, PairKind) -> [[Vec3; 4]; 2]);

pub(crate) const FAMILIES: [Family; 14] = [
    ("random", |r, _| [r.points(), r.points()]),
    ("through", through),
    ("grid", |r, _| [from_fn(|_| r.grid()), from_fn(|_| r.grid())]),
    ("planar", planar),
    ("collinear", collinear),
    ("grazing", grazing),
    ("sliding", |r, kind| near(r, kind, -13.0, -5.0)),
    ("close", |r, kind| near(r, kind, -40.0, -12.0)),
    ("touching", touching),
    ("parallel", parallel),
    ("turning", turning),
    ("degenerate", degenerate),
    ("mixed sizes", mixed_sizes),
    ("rotating together", rotating_together),
];

const KINDS: [PairKind; 4] =
    [PairKind::VertexFace, PairKind::EdgeEdge, PairKind::VertexEdge, PairKind::VertexVertex];

/// A query of a family, in many cases made large, small, far away or thick.
pub(crate) fn draw(family: Family, random: &mut Random) -> Query {
    let kind = random.choice(&KINDS);
    let [from, to] = family.1(random, kind).map(|x| of_kind(kind, x));
    let thick = random.below(4) == 0;
    let [from, to] = moved_away(random, [from, to]);
    let distance = Closest::new(kind, &from).distance();
    let part = random.choice(&[0.1, 0.9, 1.0 - 1e-6, 1.0 - 1e-10, 1.0 - 1e-13, 1.0]);
    let min_separation = if thick && distance.is_finite() { part * distance } else { 0.0 };
    Query { kind, from, to, min_separation }
}

/// The points of a pair of this kind: where fewer than four count, the last is repeated.
fn of_kind(kind: PairKind, x: [Vec3; 4]) -> [Vec3; 4] {
    from_fn(|k| x[k.min(kind.points() - 1)])
}

fn moved_away(random: &mut Random, paths: [[Vec3; 4]; 2]) -> [[Vec3; 4]; 2] {
    let all = |change: &dyn Fn(Vec3) -> Vec3| paths.map(|x| x.map(change));
    match random.below(12) {
        0 => {
            let shift = random.point() * 1e6;
            all(&|x| x + shift)
        }
        1 => {
            let scale = random.power(-150.0, 100.0);
            all(&|x| x * scale)
        }
        2 => {
            let scale = random.choice(&[1e-320, 1e-300, 1e-150, 1e-75, 1e75, 1e100, 1e300]);
            all(&|x| x * scale)
        }
        3 => {
            let size = paths.iter().flatten().map(|x| x.abs().max_element()).fold(0.0, f64::max);
            all(&|x| x / size.max(1e-9) * f64::MAX)
        }
        _ => paths,
    }
}

/// The points that belong to the first piece of a pair.
fn is_first(kind: PairKind, k: usize) -> bool {
    k == 0 || (k == 1 && kind == PairKind::EdgeEdge)
}

/// A pair that touches somewhere, its points by `point`: at corners, on edges or inside; exactly
/// where points are short.
fn contact(random: &mut Random, kind: PairKind, point: fn(&mut Random) -> Vec3) -> [Vec3; 4] {
    let mut x: [Vec3; 4] = from_fn(|_| point(random));
    let [s, t] = from_fn(|_| random.choice(&[0.0, 0.25, 0.5, 0.75, 1.0]));
    x[0] = match kind {
        PairKind::VertexFace => x[1] + (x[2] - x[1]) * s + (x[3] - x[1]) * ((1.0 - s) * t),
        PairKind::VertexEdge => x[1] + (x[2] - x[1]) * s,
        PairKind::VertexVertex => x[1],
        // Twice as far from the other end as the point where they touch.
        PairKind::EdgeEdge => (x[2] + (x[3] - x[2]) * s) * 2.0 - x[1],
    };
    x
}

fn through(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let middle = contact(random, kind, Random::point);
    let way = random.point();
    let part = random.fraction();
    let along =
        |by: f64| from_fn(|k| if is_first(kind, k) { middle[k] + way * by } else { middle[k] });
    [along(-part), along(1.0 - part)]
}

/// All in one plane: that of two axes, or one through integers.
fn planar(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let [u, v] = match random.below(3) {
        0 => [Vec3::X, Vec3::Y],
        1 => [random.grid(), random.grid()],
        _ => [random.point(), random.point()],
    };
    let coarse = random.below(2) == 0;
    let mut point = || {
        let p = if coarse { random.grid() } else { random.short() };
        u * p.x + v * p.y
    };
    let [from, mut to]: [[Vec3; 4]; 2] = from_fn(|_| from_fn(|_| point()));
    if coarse {
        // One piece stands.
        to = from_fn(|k| if is_first(kind, k) { to[k] } else { from[k] });
    }
    [from, to]
}

fn collinear(random: &mut Random, _: PairKind) -> [[Vec3; 4]; 2] {
    let (origin, direction) = match random.below(2) {
        0 => (random.grid(), random.grid()),
        _ => (random.point(), random.point()),
    };
    let coarse = random.below(2) == 0;
    from_fn(|_| {
        from_fn(|_| {
            let along =
                if coarse { random.below(9) as f64 - 4.0 } else { random.between(-4.0, 4.0) };
            origin + direction * along
        })
    })
}

/// In the middle of the path the pieces touch, or miss each other by little.
fn grazing(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let mut middle = contact(random, kind, Random::short);
    let off = random.choice(&[0.0, 1e-12, 1e-9, 1e-6, 1e-3]);
    let away = random.point() * off;
    (0..4).filter(|&k| is_first(kind, k)).for_each(|k| middle[k] += away);
    let motion: [Vec3; 4] = from_fn(|_| random.short());
    [from_fn(|k| middle[k] - motion[k]), from_fn(|k| middle[k] + motion[k])]
}

/// The pieces begin at a small distance, a power of ten, around the origin, where it can be given
/// exactly, or elsewhere, and go far.
fn near(random: &mut Random, kind: PairKind, low: f64, high: f64) -> [[Vec3; 4]; 2] {
    let mut from = contact(random, kind, Random::short);
    if random.below(2) == 0 {
        let place = from[0];
        from = from.map(|x| x - place);
    }
    let away = random.point() * random.power(low, high);
    (0..4).filter(|&k| is_first(kind, k)).for_each(|k| from[k] += away);
    let whole = random.point() * 3.0;
    let others = random.choice(&[0.0, 1e-3, 1.0]);
    let to = from_fn(|k| {
        from[k] + random.point() * others + if is_first(kind, k) { whole } else { Vec3::ZERO }
    });
    [from, to]
}

/// The pieces touch exactly at the start, and part or do not.
fn touching(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let full = |random: &mut Random| (random.point() * 2f64.powi(49)).round() / 2f64.powi(49);
    let from = contact(random, kind, full);
    let whole = random.point();
    let others = random.choice(&[0.0, 1e-3]);
    let to = from_fn(|k| {
        from[k] + random.point() * others + if is_first(kind, k) { whole } else { Vec3::ZERO }
    });
    [from, to]
}

/// Edges, or a point and an edge, that stay parallel or nearly so.
fn parallel(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let direction = random.point();
    let tilt = random.choice(&[0.0, 1e-16, 1e-12, 1e-8, 1e-4]);
    let mut from = random.points();
    from[1] = from[0] + direction + random.point() * tilt;
    from[3] = from[2] + direction * random.between(-2.0, 2.0) + random.point() * tilt;
    let whole = random.point() * 2.0;
    let to = from_fn(|k| {
        let moved = if is_first(kind, k) { whole } else { Vec3::ZERO };
        from[k] + moved + random.point() * tilt
    });
    [from, to]
}

/// One piece is turned by up to a half turn while the other stands; its points go straight.
fn turning(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let from = random.points();
    let (angle, middle) = (random.between(0.0, 3.2), random.point());
    let turned = |x: Vec3| {
        let y = x - middle;
        let (sin, cos) = angle.sin_cos();
        middle + Vec3::new(cos * y.x - sin * y.y, sin * y.x + cos * y.y, y.z)
    };
    let first = random.below(2) == 0;
    [from, from_fn(|k| if is_first(kind, k) == first { turned(from[k]) } else { from[k] })]
}

/// Points that coincide, edges without length, faces without area, at either end.
fn degenerate(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let mut paths = if random.below(2) == 0 {
        [random.points(), random.points()]
    } else {
        near(random, kind, -13.0, 0.0)
    };
    for _ in 0..=random.below(2) {
        let [i, j, k] = from_fn(|_| random.below(4) as usize);
        let both = random.below(3);
        let middle = random.below(2) == 0;
        for x in &mut paths[usize::from(both == 1)..usize::from(both != 0) + 1] {
            x[i] = if middle { (x[j] + x[k]) * 0.5 } else { x[j] };
        }
    }
    paths
}

/// Every number has a size of its own.
fn mixed_sizes(random: &mut Random, _: PairKind) -> [[Vec3; 4]; 2] {
    let most = random.choice(&[5.0, 20.0, 100.0]);
    from_fn(|_| {
        from_fn(|_| {
            Vec3::from_array(from_fn(|_| random.between(-1.0, 1.0) * random.power(-most, 0.0)))
        })
    })
}

/// Both pieces rotate about one axis at a small distance; one may approach the other meanwhile.
fn rotating_together(random: &mut Random, kind: PairKind) -> [[Vec3; 4]; 2] {
    let mut from = contact(random, kind, Random::short);
    let away = random.point() * random.power(-5.5, -3.0);
    let approach = random.point() * random.choice(&[0.0, 1e-12, 1e-9, 1e-6, 1e-3]);
    (0..4).filter(|&k| is_first(kind, k)).for_each(|k| from[k] += away);
    let (angle, middle) = (random.between(0.0, 0.3), random.point());
    let (sin, cos) = angle.sin_cos();
    let to = from_fn(|k| {
        let y = from[k] - middle;
        let rotated = middle + Vec3::new(cos * y.x - sin * y.y, sin * y.x + cos * y.y, y.z);
        rotated + if is_first(kind, k) { approach } else { Vec3::ZERO }
    });
    [from, to]
}
