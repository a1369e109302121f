//! The animation: keyframes of moving nodes, and weights of morph targets.

use super::buffer::{Buffer, Target};
use crate::motion::Map;
use resile_math::Quat;
use serde_json::{Value, json};

/// The animation under construction.
#[derive(Debug, Default)]
pub(super) struct Animation {
    channels: Vec<Value>,
    samplers: Vec<Value>,
    /// Accessor of the keyframe times, once there are any.
    times: Option<usize>,
    /// Sampler of weights, shared by all deforming bodies.
    weights: Option<usize>,
}

impl Animation {
    /// Animates a node by rigid maps.
    pub(super) fn turn(&mut self, buffer: &mut Buffer, times: &[f64], node: usize, maps: &[Map]) {
        let centers = maps.iter().map(|map| map.center.to_array().map(|x| x as f32));
        let centers = buffer.floats("VEC3", centers, Target::Keys);
        self.channel(buffer, times, node, "translation", centers);
        let mut last = Quat::IDENTITY;
        let turns = maps.iter().map(|map| {
            let turn = Quat::from_mat3(&map.linear);
            // Keep the quaternion on the same hemisphere as the previous one, for the shorter path.
            last = if turn.dot(last) < 0.0 { -turn } else { turn };
            last.to_array().map(|x| x as f32)
        });
        let turns = buffer.floats("VEC4", turns, Target::Keys);
        self.channel(buffer, times, node, "rotation", turns);
    }

    /// Animates the weights of a node's morph targets: the base shape at the first time, then each target.
    pub(super) fn morph(&mut self, buffer: &mut Buffer, times: &[f64], node: usize) {
        if let Some(sampler) = self.weights {
            let target = json!({ "node": node, "path": "weights" });
            self.channels.push(json!({ "sampler": sampler, "target": target }));
            return;
        }
        let targets = times.len() - 1;
        let weight = |n: usize| if n / targets == n % targets + 1 { [1.0] } else { [0.0] };
        let weights = buffer.floats("SCALAR", (0..times.len() * targets).map(weight), Target::Keys);
        self.weights = Some(self.samplers.len());
        self.channel(buffer, times, node, "weights", weights);
    }

    fn channel(
        &mut self,
        buffer: &mut Buffer,
        times: &[f64],
        node: usize,
        path: &str,
        values: usize,
    ) {
        let keys = times.iter().map(|time| [(time - times[0]) as f32]);
        let input = *self.times.get_or_insert_with(|| buffer.floats("SCALAR", keys, Target::Keys));
        let target = json!({ "node": node, "path": path });
        self.channels.push(json!({ "sampler": self.samplers.len(), "target": target }));
        self.samplers.push(json!({ "input": input, "output": values, "interpolation": "LINEAR" }));
    }

    /// `None` without moving nodes.
    pub(super) fn finish(self) -> Option<Value> {
        let Self { channels, samplers, .. } = self;
        (!channels.is_empty())
            .then(|| json!({ "name": "run", "channels": channels, "samplers": samplers }))
    }
}
