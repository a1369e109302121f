//! What a Gmsh reader is given may be hostile: nothing it is given makes it
//! panic, or keep more than a small multiple of what it was given.

use crate::support::{Content, FORMATS, Format};
use proptest::prelude::*;
use proptest::sample::Index;
use resile_mesh::generate::Ball;
use resile_mesh::read::{GmshMesh, read_gmsh};

fn valid(format: Format) -> Vec<u8> {
    Content::of(&Ball { radius: 0.5, layers: 1 }.build().unwrap()).encode(format)
}

/// What holds for anything that is not refused.
fn assert_sound(read: &GmshMesh, bytes: usize) {
    let mesh = &read.mesh;
    assert!(!mesh.tets.is_empty());
    assert!(mesh.positions.iter().all(|p| p.is_finite()));
    let mut used = vec![false; mesh.positions.len()];
    mesh.tets.iter().flatten().for_each(|&node| used[node as usize] = true);
    assert!(used.iter().all(|&u| u), "a node without an element");
    // Every node took four numbers in the file and every element five.
    assert!(8 * mesh.positions.capacity() <= 4 * bytes);
    assert!(10 * mesh.tets.capacity() <= 4 * bytes);
    // None of these may panic either, inverted elements or not.
    let _ = (mesh.check(), mesh.quality(), mesh.boundary(), mesh.centroid());
}

fn format() -> impl Strategy<Value = Format> {
    prop::sample::select(FORMATS.to_vec())
}

proptest! {
    #![proptest_config(ProptestConfig {
        cases: 512,
        rng_seed: proptest::test_runner::RngSeed::Fixed(3),
        failure_persistence: None,
        ..ProptestConfig::default()
    })]

    #[test]
    fn random_bytes_never_panic(bytes in prop::collection::vec(any::<u8>(), 0..400)) {
        prop_assert!(read_gmsh(&bytes[..]).is_err());
    }

    #[test]
    fn random_bytes_after_a_valid_beginning_never_panic(
        format in format(), cut in any::<Index>(), tail in prop::collection::vec(any::<u8>(), 0..200),
    ) {
        let mut bytes = valid(format);
        bytes.truncate(cut.index(bytes.len()));
        bytes.extend(tail);
        if let Ok(read) = read_gmsh(&bytes[..]) {
            assert_sound(&read, bytes.len());
        }
    }

    #[test]
    fn damaged_bytes_never_panic(
        format in format(), hits in prop::collection::vec((any::<Index>(), any::<u8>()), 1..8),
    ) {
        let mut bytes = valid(format);
        for (place, value) in hits {
            let place = place.index(bytes.len());
            bytes[place] = value;
        }
        if let Ok(read) = read_gmsh(&bytes[..]) {
            assert_sound(&read, bytes.len());
        }
    }

    /// Extreme numbers where a number may be, in either byte order and width.
    #[test]
    fn extreme_numbers_never_panic(
        format in format(), place in any::<Index>(), width in prop::sample::select(vec![4, 8]),
        fill in prop::sample::select(vec![0_u8, 1, 0x7f, 0x80, 0xff, b'9', b'-']),
    ) {
        let mut bytes = valid(format);
        let start = place.index(bytes.len() - width);
        bytes[start..start + width].fill(fill);
        if let Ok(read) = read_gmsh(&bytes[..]) {
            assert_sound(&read, bytes.len());
        }
    }

    #[test]
    fn pieces_cut_out_moved_or_doubled_never_panic(
        format in format(), a in any::<Index>(), b in any::<Index>(), c in any::<Index>(),
    ) {
        let bytes = valid(format);
        let mut ends = [a, b].map(|end| end.index(bytes.len() + 1));
        ends.sort_unstable();
        let target = c.index(bytes.len() + 1);
        let (piece, rest) = (&bytes[ends[0]..ends[1]], [&bytes[..ends[0]], &bytes[ends[1]..]].concat());
        let doubled = [&bytes[..target], piece, &bytes[target..]].concat();
        let target = target.min(rest.len());
        let moved = [&rest[..target], piece, &rest[target..]].concat();
        for bytes in [rest, doubled, moved] {
            if let Ok(read) = read_gmsh(&bytes[..]) {
                assert_sound(&read, bytes.len());
            }
        }
    }
}
