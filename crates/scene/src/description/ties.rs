//! Checks of holds, attachments and their targets.

use super::problem::{Checker, Names};
use super::{Attachment, Body, Hold, MotionDescription, Obstacle, Scene, check_body};

impl Scene {
    /// Checks the holds and attachments of a body.
    pub(super) fn check_ties(&self, c: &mut Checker, path: &str, body: &Body) {
        for (k, Hold { region, motion, axes, frame, .. }) in body.hold.iter().enumerate() {
            let path = format!("{path}.hold[{k}]");
            check_body::check_region(c, &format!("{path}.region"), region);
            match motion {
                MotionDescription::Follow(name) => {
                    self.check_followed(c, &format!("{path}.motion[0]"), name);
                }
                _ => check_body::check_motion_of_nodes(c, &format!("{path}.motion"), motion),
            }
            if let Some(axes) = axes {
                check_axes(c, &format!("{path}.axes"), axes);
                if matches!(motion, MotionDescription::Follow(_)) {
                    let help = "remove `axes`, or give the nodes a motion of their own";
                    c.error(&path, "nodes that follow an obstacle are held along all axes", help);
                }
            }
            if frame.is_some() && axes.is_none() {
                let help = "add the letters of the held axes: `axes: \"x\"`";
                c.error(&path, "a `frame` says nothing where all axes are held", help);
            }
        }
        for (k, attachment) in body.attach.iter().enumerate() {
            let path = format!("{path}.attach[{k}]");
            check_body::check_region(c, &format!("{path}.region"), &attachment.region);
            self.check_target(c, &path, body, attachment);
        }
    }

    /// Checks the target of an attachment.
    fn check_target(&self, c: &mut Checker, path: &str, body: &Body, attachment: &Attachment) {
        match (&attachment.motion, &attachment.to) {
            (Some(motion), None) => {
                check_body::check_motion_of_nodes(c, &format!("{path}.motion"), motion);
            }
            (None, Some(to)) => {
                let path = format!("{path}.to");
                let names = self.body_names().into_iter().chain(self.bounded_obstacles());
                c.check_name(
                    &path,
                    "body or obstacle with a surface",
                    to,
                    &Names::new(names.collect()),
                );
                self.check_is_one_body(c, &path, to);
                if *to == body.name {
                    let help = "`seams` of the scene tie parts of one body";
                    c.error(&path, "a body cannot be attached to itself", help);
                }
            }
            (None, None) => {
                let help =
                    "add `motion: Fixed`, or `to: \"...\"` with the name of a body or an obstacle";
                c.error(path, "nothing says what the springs lead to", help);
            }
            (Some(_), Some(_)) => {
                let message = "the springs lead to a body and to places of their own";
                c.error(path, message, "remove `motion`, or `to`");
            }
        }
    }

    /// Checks the obstacle that held nodes follow.
    fn check_followed(&self, c: &mut Checker, path: &str, name: &String) {
        if self.body_names().contains(name) {
            let message =
                format!("\"{name}\" is moved by forces, so no motion can be prescribed by it");
            let help = format!(
                "tie the nodes by springs: `attach: [(region: ..., stiffness: ..., to: \"{name}\")]`"
            );
            return c.error(path, message, help);
        }
        let names = Names::new(self.bounded_obstacles().collect());
        c.check_name(path, "obstacle with a surface", name, &names);
    }

    /// Names of obstacles other than planes, which have no surface of finite size.
    fn bounded_obstacles(&self) -> impl Iterator<Item = String> {
        let obstacles = self.obstacles.iter();
        let bounded = obstacles.filter(|obstacle| !matches!(obstacle, Obstacle::Plane { .. }));
        bounded.map(|obstacle| obstacle.name().to_owned())
    }
}

/// Checks that axes are letters of "xyz", each at most once.
fn check_axes(c: &mut Checker, path: &str, axes: &str) {
    let counts = ['x', 'y', 'z'].map(|axis| axes.matches(axis).count());
    let letter_count: usize = counts.iter().sum();
    if axes.is_empty()
        || letter_count != axes.chars().count()
        || counts.iter().any(|count| *count > 1)
    {
        let help = "write the held ones of the letters x, y and z, each once: `axes: \"xz\"`";
        c.error(path, format!("\"{axes}\" names no axes"), help);
    }
}
