//! Point caches: what is in them comes out, and what announces more or less than it has is refused.

use crate::good_files::caches::{mdd, pc2, samples};
use resile_mesh::read::{CacheTime, PointCache, read_mdd, read_pc2};

fn read(big: bool, bytes: &[u8]) -> Result<PointCache, String> {
    let read = if big { read_mdd(bytes) } else { read_pc2(bytes) };
    read.map_err(|error| error.to_string())
}

#[test]
fn point_cache_samples_keep_positions_and_times() {
    let [of_pc2, of_mdd] = [pc2(&samples()), mdd(&samples())];
    let [frames, seconds] = [read(false, &of_pc2).unwrap(), read(true, &of_mdd).unwrap()];
    assert_eq!((frames.unit, &frames.times[..]), (CacheTime::Frames, &[0.0, 2.0, 4.0][..]));
    assert_eq!((seconds.unit, &seconds.times[..]), (CacheTime::Seconds, &[0.0, 0.25, 0.5][..]));
    assert_eq!(frames.samples, seconds.samples);
    for (read, written) in frames.samples.iter().zip(samples()) {
        assert_eq!(read.len(), 2);
        for (read, written) in read.iter().zip(written) {
            assert_eq!(read.to_array().map(|x| x as f32), written);
        }
    }
}

#[test]
fn truncated_overlong_and_inconsistent_point_caches_are_rejected() {
    for (big, valid) in [(false, pc2(&samples())), (true, mdd(&samples()))] {
        for length in 0..valid.len() {
            assert!(read(big, &valid[..length]).is_err(), "{length} of {} bytes", valid.len());
        }
        let more = [&valid[..], &[0; 4]].concat();
        let said = read(big, &more).unwrap_err();
        assert!(said.starts_with("72 bytes of coordinates are announced, but 76 follow"), "{said}");
        let places = if big { [0, 4] } else { [28, 16] };
        for (place, what) in places.into_iter().zip(["samples", "vertices"]) {
            let with = |number: i32| {
                let mut bytes = valid.clone();
                let number = if big { number.to_be_bytes() } else { number.to_le_bytes() };
                bytes[place..place + 4].copy_from_slice(&number);
                read(big, &bytes).unwrap_err()
            };
            let said = with(i32::MAX);
            assert!(
                said.contains("are announced, but the rest of the file can hold at most"),
                "{said}"
            );
            assert!(with(-1).contains("expected the number of"), "{}", with(-1));
            let said = with(0);
            assert!(said == format!("the file has no {what}") || big, "{said}");
        }
    }
}

#[test]
fn non_finite_point_cache_numbers_are_rejected_with_their_position() {
    let mut lost = samples();
    lost[2][1][0] = f32::NAN;
    for (big, bytes) in [(false, pc2(&lost)), (true, mdd(&lost))] {
        let said = read(big, &bytes).unwrap_err();
        assert!(
            said.starts_with("in sample 2, counted from 0: vertex 1, counted from 0,"),
            "{said}"
        );
    }
    let mut standing = pc2(&samples());
    standing[24..28].fill(0);
    let said = read(false, &standing).unwrap_err();
    assert!(
        said.contains("expected the number of frames from sample to sample, above 0"),
        "{said}"
    );
    let mut never = mdd(&samples());
    never[12..16].copy_from_slice(&f32::INFINITY.to_be_bytes());
    let said = read(true, &never).unwrap_err();
    assert!(said.contains("expected the time of a sample, a finite number"), "{said}");
}
