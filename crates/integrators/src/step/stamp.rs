//! Detection of states that were changed after the last step.
//!
//! The memory of a method (forces, the previous point, energy targets) belongs to the positions and velocities at which
//! it was computed. A caller may move nodes or set velocities between two steps, and the memory would then be that of
//! another state. Each step therefore stores a checksum of each body with the memory, and the next one restarts if it
//! differs.

use resile_system::{Memory, Record, State, System};
use std::ops::Range;

/// Key of the checksum of each body.
pub(crate) const CHECKSUM: &str = "state.stamp";

/// Stores the checksums of `state` in its memory, unless that is empty. O(nodes).
pub(crate) fn store_checksums(system: &System, state: &mut State) {
    if state.memory == Memory::default() {
        return;
    }
    let checksums = (0..system.bodies().len()).map(|b| checksum(state, system.nodes(b)).to_vec());
    let record = Record::of_bodies(checksums.collect());
    state.memory.insert(CHECKSUM, record);
}

/// Whether the memory of `state` belongs to its positions and velocities, except for kinematic bodies. A memory without
/// checksums is accepted. O(nodes).
pub(crate) fn matches_checksums(system: &System, state: &State) -> bool {
    let Some(record) = state.memory.get(CHECKSUM) else { return true };
    let is_unchanged = |b: usize| {
        system.bodies()[b].is_kinematic() || record.rows[b] == checksum(state, system.nodes(b))
    };
    record.rows.len() == system.bodies().len() && (0..record.rows.len()).all(is_unchanged)
}

/// The checksum of the positions and velocities of `nodes`: FNV-1a over their bits, eight bytes at a time. Its upper
/// and lower 32 bits are returned as two numbers, which represent them exactly.
fn checksum(state: &State, nodes: Range<usize>) -> [f64; 2] {
    let vectors = state.positions[nodes.clone()].iter().chain(&state.velocities[nodes]);
    let components = vectors.flat_map(|v| v.to_array());
    let hash = components.fold(0xcbf2_9ce4_8422_2325_u64, |hash, component| {
        (hash ^ component.to_bits()).wrapping_mul(0x0000_0100_0000_01b3)
    });
    [(hash >> 32) as f64, (hash & 0xffff_ffff) as f64]
}

#[cfg(test)]
mod tests {
    use super::*;
    use resile_math::Vec3;
    use resile_system::Body;

    #[test]
    fn state_stamp_detects_a_changed_bit() {
        let system = System::new(vec![Body::new("a", vec![1.0; 3]), Body::new("b", vec![1.0])]);
        let mut state = State::new(0.0, vec![Vec3::X; 4], vec![Vec3::Y; 4]);
        state.memory.insert("something", Record::default());
        store_checksums(&system, &mut state);
        assert!(matches_checksums(&system, &state));
        for (node, velocity) in [(0, false), (2, true), (3, false), (3, true)] {
            let mut other = state.clone();
            let all = if velocity { &mut other.velocities } else { &mut other.positions };
            all[node].z = f64::from_bits(all[node].z.to_bits() ^ 1);
            assert!(!matches_checksums(&system, &other), "{node} {velocity}");
        }
    }
}
