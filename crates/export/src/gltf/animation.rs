//! The animation: keyframes of moving nodes, and weights of morph targets.

use super::buffer::{Buffer, Target};
use crate::motion::Map;
use resile_math::Quat;
use serde_json::{Value, json};

/// Values between two keyframes.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Interpolation {
    /// Linear in time.
    Linear,
    /// Those of the earlier keyframe.
    Step,
}

/// The animation under construction.
#[derive(Debug)]
pub(super) struct Animation {
    interpolation: Interpolation,
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Index of the accessor of the keyframe times, once there are any.
    times_accessor: Option<usize>,
    /// Index of the sampler of weights, which all deforming bodies share.
    weights_sampler: Option<usize>,
}

impl Animation {
    /// An animation without channels.
    pub(super) fn new(interpolation: Interpolation) -> Self {
        Self {
            interpolation,
            channels: Vec::new(),
            samplers: Vec::new(),
            times_accessor: None,
            weights_sampler: None,
        }
    }

    /// Animates the translation and rotation of a node by the rigid map at each time (s).
    pub(super) fn add_rigid_motion(
        &mut self,
        buffer: &mut Buffer,
        times: &[f64],
        node: usize,
        maps: &[Map],
    ) {
        let centers = maps.iter().map(|map| map.center.to_array().map(|x| x as f32));
        let translation_accessor = buffer.add_floats("VEC3", centers, Target::Keys);
        self.add_channel(buffer, times, node, "translation", translation_accessor);
        let mut previous = Quat::IDENTITY;
        let rotations = maps.iter().map(|map| {
            let rotation = Quat::from_mat3(&map.linear);
            // Of the two quaternions of a rotation, the one nearer to the previous gives the shorter interpolation path.
            previous = if rotation.dot(previous) < 0.0 { -rotation } else { rotation };
            previous.to_array().map(|x| x as f32)
        });
        let rotation_accessor = buffer.add_floats("VEC4", rotations, Target::Keys);
        self.add_channel(buffer, times, node, "rotation", rotation_accessor);
    }

    /// Animates the weights of the morph targets of a node: at the first time (s) all are zero, and at each further
    /// time the weight of its target is one.
    pub(super) fn add_morph(&mut self, buffer: &mut Buffer, times: &[f64], node: usize) {
        if let Some(sampler) = self.weights_sampler {
            let target = json!({ "node": node, "path": "weights" });
            self.channels.push(json!({ "sampler": sampler, "target": target }));
            return;
        }
        let target_count = times.len() - 1;
        let weight = |n: usize| {
            let (sample, target) = (n / target_count, n % target_count);
            if sample == target + 1 { [1.0] } else { [0.0] }
        };
        let weights = (0..times.len() * target_count).map(weight);
        let weights_accessor = buffer.add_floats("SCALAR", weights, Target::Keys);
        self.weights_sampler = Some(self.samplers.len());
        self.add_channel(buffer, times, node, "weights", weights_accessor);
    }

    /// Adds a sampler that interpolates the values of an accessor in time, and a channel that applies it to
    /// the property `path` of a node. Times (s) are written relative to the first.
    fn add_channel(
        &mut self,
        buffer: &mut Buffer,
        times: &[f64],
        node: usize,
        path: &str,
        values_accessor: usize,
    ) {
        let times_accessor = *self.times_accessor.get_or_insert_with(|| {
            let key_times = times.iter().map(|time| [(time - times[0]) as f32]);
            buffer.add_floats("SCALAR", key_times, Target::Keys)
        });
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": target }));
        let interpolation = match self.interpolation {
            Interpolation::Linear => "LINEAR",
            Interpolation::Step => "STEP",
        };
        self.samplers.push(json!({
            "input": times_accessor, "output": values_accessor, "interpolation": interpolation,
        }));
    }

    /// The JSON object of the animation; `None` if no node is animated.
    pub(super) fn finish(self) -> Option<Value> {
        let Self { channels, samplers, .. } = self;
        (!channels.is_empty())
            .then(|| json!({ "name": "run", "channels": channels, "samplers": samplers }))
    }
}
