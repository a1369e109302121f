//! What a reader is given may be hostile: nothing it is given makes it panic, or keep more
//! than a small multiple of what it was given.

use crate::good_files::read::{EXTENSIONS, Mesh, read};
use crate::good_files::{self, GoodFile, mixed};
use proptest::prelude::*;
use proptest::sample::Index;
use resile_mesh::read::OtherSolidPolicy;

/// What holds for anything that is not refused.
fn assert_sound(mesh: &Mesh, bytes: usize) {
    let (positions, nodes) = match mesh {
        Mesh::Surface(mesh) => {
            let _ = (mesh.defects(), mesh.surface(), mesh.enclosed_volume());
            (&mesh.positions, mesh.triangles.as_flattened())
        }
        Mesh::Cache(cache) => {
            let points = cache.samples.iter().flatten();
            assert!(points.clone().all(|p| p.is_finite()) && points.count() <= bytes);
            return;
        }
        Mesh::Solid(mesh) => {
            let _ = (mesh.check(), mesh.quality(), mesh.boundary(), mesh.centroid());
            (&mesh.positions, mesh.tets.as_flattened())
        }
    };
    assert!(positions.iter().all(|p| p.is_finite()));
    let mut used = vec![false; positions.len()];
    nodes.iter().for_each(|&node| used[node as usize] = true);
    assert!(used.iter().all(|&u| u), "a node without an element");
    assert!(positions.len() <= bytes && positions.capacity() <= 2 * bytes);
}

fn assert_harmless(ending: &str, bytes: &[u8]) {
    if let Ok(mesh) = read(ending, bytes, OtherSolidPolicy::LeaveOut) {
        assert_sound(&mesh, bytes.len());
    }
}

/// Every dialect, with and without elements that are left out.
fn samples() -> Vec<GoodFile> {
    let mut samples = good_files::all();
    samples.extend(mixed::all());
    samples
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 400,
        rng_seed: proptest::test_runner::RngSeed::Fixed(5),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn truncated_files_never_panic(cut in any::<Index>(), tail in prop::collection::vec(any::<u8>(), 0..60)) {
        for mut sample in samples() {
            sample.bytes.truncate(cut.index(sample.bytes.len()));
            assert_harmless(sample.ending, &sample.bytes);
            sample.bytes.extend(&tail);
            assert_harmless(sample.ending, &sample.bytes);
        }
    }

    #[test]
    fn damaged_files_never_panic(
        hits in prop::collection::vec((any::<Index>(), any::<u8>()), 1..6),
        header in any::<bool>(),
    ) {
        for mut sample in samples() {
            // Half of the time where the format is, rather than its numbers.
            let end = if header { sample.bytes.len().min(300) } else { sample.bytes.len() };
            for (place, value) in &hits {
                sample.bytes[place.index(end)] = *value;
            }
            assert_harmless(sample.ending, &sample.bytes);
        }
    }

    #[test]
    fn extreme_numbers_never_panic(
        place in any::<Index>(), width in prop::sample::select(vec![1, 4, 8]),
        fill in prop::sample::select(vec![0_u8, 1, 0x7f, 0x80, 0xff, b'9', b'-']),
    ) {
        for mut sample in samples() {
            let start = place.index(sample.bytes.len() - width);
            sample.bytes[start..start + width].fill(fill);
            assert_harmless(sample.ending, &sample.bytes);
        }
    }

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        for ending in EXTENSIONS {
            assert_harmless(ending, &bytes);
        }
    }

    #[test]
    fn files_with_pieces_removed_moved_or_repeated_never_panic(
        a in any::<Index>(), b in any::<Index>(), c in any::<Index>(),
    ) {
        for sample in samples() {
            let bytes = &sample.bytes;
            let mut ends = [a, b].map(|end| end.index(bytes.len() + 1));
            ends.sort_unstable();
            let piece = &bytes[ends[0]..ends[1]];
            let rest = [&bytes[..ends[0]], &bytes[ends[1]..]].concat();
            let target = c.index(rest.len() + 1);
            let moved = [&rest[..target], piece, &rest[target..]].concat();
            let doubled = [&bytes[..ends[1]], piece, &bytes[ends[1]..]].concat();
            for bytes in [rest, moved, doubled] {
                assert_harmless(sample.ending, &bytes);
            }
        }
    }
}
