//! Obstacles.

use super::Motion;
use crate::pose::Pose;
use crate::ron::{Field, Ron, quoted, word};

/// Shape of an obstacle.
#[derive(Debug, Clone, PartialEq)]
pub(crate) enum DraftShape {
    /// A plane through `point` (m).
    Plane {
        point: [f64; 3],
        normal: [f64; 3],
    },
    Mesh {
        file: String,
        pose: Pose,
        motion: Motion,
    },
    /// A mesh with prescribed positions. `frames` is the path of the frames, with `#` in place of digits of the frame
    /// number; `frame_rate` is their number per second and `start` the time (s) of the first.
    Animated {
        file: String,
        pose: Pose,
        frames: String,
        frame_rate: f64,
        start: f64,
    },
}

/// An obstacle: a surface with prescribed positions.
#[derive(Debug, Clone, PartialEq)]
pub(crate) struct DraftObstacle {
    pub(crate) name: String,
    pub(crate) shape: DraftShape,
    pub(crate) friction: f64,
}

impl DraftObstacle {
    /// The obstacle in scene syntax. The motion of a fixed mesh and a start at time 0 are left out.
    pub(super) fn ron(&self) -> Ron {
        let mut fields = vec![Field::new("name", quoted(&self.name))];
        let friction = Field::new("friction", self.friction);
        match &self.shape {
            DraftShape::Plane { point, normal } => {
                fields.push(Field::new("point", *point));
                fields.push(Field::new("normal", *normal));
                fields.push(friction);
                Ron::Struct("Plane", fields)
            }
            DraftShape::Mesh { file, pose, motion } => {
                fields.push(Field::new("file", quoted(file)));
                fields.extend(pose.ron().map(|pose| Field::new("placement", pose)));
                fields.push(friction);
                if *motion != Motion::Fixed {
                    fields.push(Field::new("motion", motion.ron()));
                }
                Ron::Struct("Mesh", fields)
            }
            DraftShape::Animated { file, pose, frames, frame_rate, start } => {
                fields.push(Field::new("file", quoted(file)));
                fields.push(Field::new("frames", quoted(frames)));
                fields.push(Field::new("frame_rate", *frame_rate));
                if *start != 0.0 {
                    fields.push(Field::new("start", *start));
                }
                fields.push(Field::new("interpolation", word("Linear")));
                fields.push(Field::new("after", word("Hold")));
                fields.extend(pose.ron().map(|pose| Field::new("placement", pose)));
                fields.push(friction);
                Ron::Struct("Animated", fields)
            }
        }
    }
}
