//! Warnings of liquids and of damping whose numbers are probably not intended.

use super::problem::Checker;
use super::{Analysis, Damping, Scene, Term};
use resile_math::Vec3;
use std::f64::consts::PI;

/// Range of a gravitational acceleration (m/s^2) without a warning.
pub(super) const GRAVITY_RANGE: std::ops::RangeInclusive<f64> = 0.1..=100.0;
/// Least relative loss of amplitude at which damping has an effect.
const MIN_LOSS: f64 = 0.01;

impl Scene {
    /// Warns of liquids whose gravity points up or has an implausible magnitude.
    pub(super) fn warn_liquids(&self, c: &mut Checker) {
        for (i, body) in self.bodies.iter().enumerate() {
            for (k, term) in body.terms.iter().enumerate() {
                if let Term::Hydrostatic { gravity, .. } = term {
                    let path = format!("bodies[{i}].terms[{k}].gravity");
                    self.warn_gravity_of_liquid(c, &path, *gravity);
                }
            }
        }
    }

    /// Warns of the gravity (m/s^2) of a liquid.
    fn warn_gravity_of_liquid(&self, c: &mut Checker, path: &str, gravity: [f64; 3]) {
        let (of_liquid, of_scene) = (Vec3::from_array(gravity), Vec3::from_array(self.gravity));
        let g = of_liquid.length();
        let earth = self.gravity_on_earth();
        if !GRAVITY_RANGE.contains(&g) {
            let message = format!("gravity of the liquid is {}", self.units.show(g, "m/s^2"));
            c.warn(path, message, format!("on Earth {earth}"));
        }
        let is_up = match of_scene == Vec3::ZERO {
            true => of_liquid.y > 0.0,
            false => of_liquid.dot(of_scene) < 0.0,
        };
        if is_up {
            let message = match of_scene == Vec3::ZERO {
                true => "gravity of the liquid points up: the liquid is above its surface",
                false => {
                    "gravity of the liquid points against that of the scene: the liquid is above its surface"
                }
            };
            let help =
                format!("the liquid is where gravity points to from its surface: on Earth {earth}");
            c.warn(path, message, help);
        }
    }

    /// Warns of stiffness damping that stops all deformation in a run, or has no effect.
    pub(super) fn warn_stiffness_damping(&self, c: &mut Checker) {
        if self.analysis != Analysis::Dynamic {
            return;
        }
        let of_materials = self
            .materials
            .iter()
            .map(|(name, material)| (format!("materials.{name}.damping"), &material.damping));
        let of_bodies = self.bodies.iter().enumerate();
        let of_bodies = of_bodies.map(|(i, body)| (format!("bodies[{i}].damping"), &body.damping));
        for (path, damping) in of_materials.chain(of_bodies) {
            for (k, damping) in damping.iter().enumerate() {
                if let Damping::Stiffness { time } = *damping {
                    self.warn_damping_time(c, &format!("{path}[{k}].time"), time);
                }
            }
        }
    }

    /// Warns of a time (s) of stiffness damping. A vibration of the angular frequency `w` decays as
    /// `exp(-w^2 time t / 2)` if it decays slowly, and a step `h` resolves frequencies up to `pi/h`. A slow
    /// deformation approaches its equilibrium as `exp(-t / time)`.
    fn warn_damping_time(&self, c: &mut Checker, path: &str, time: f64) {
        let (h, duration) = (self.time.step.seconds(), self.time.duration);
        let fastest = PI / h;
        let exponent = 0.5 * fastest * fastest * time * duration;
        let usual = "usual is a tenth of a step to a few steps";
        if time > duration {
            let message = format!(
                "stiffness damping of {time} s slows all deformation down for longer than the run of {duration} s"
            );
            c.warn(path, message, usual);
        } else if time > 0.0 && exponent < MIN_LOSS {
            let message = format!(
                "stiffness damping of {time:e} s has no effect: in {duration} s it takes less than {} % of the \
                 fastest vibration that steps of {h:.6} s resolve",
                100.0 * MIN_LOSS
            );
            c.warn(path, message, usual);
        }
    }
}
