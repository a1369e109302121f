//! Point caches.

/// Where two vertices are in three samples. Exact in single precision.
pub(crate) fn samples() -> Vec<[[f32; 3]; 2]> {
    [0.0, 0.5, 0.75].map(|y| [[0.25, y, -1.5], [1.0, 2.0 * y, 3.0e-5]]).to_vec()
}

/// Two frames from sample to sample; the first is frame 10.
pub(crate) fn pc2(samples: &[[[f32; 3]; 2]]) -> Vec<u8> {
    let mut bytes = b"POINTCACHE2\0".to_vec();
    bytes.extend(1_i32.to_le_bytes());
    bytes.extend(2_i32.to_le_bytes());
    bytes.extend([10.0_f32, 2.0].iter().flat_map(|number| number.to_le_bytes()));
    bytes.extend((samples.len() as i32).to_le_bytes());
    let numbers = samples.as_flattened().as_flattened().iter();
    bytes.extend(numbers.flat_map(|number| number.to_le_bytes()));
    bytes
}

/// A quarter of a second from sample to sample, from half a second on.
pub(crate) fn mdd(samples: &[[[f32; 3]; 2]]) -> Vec<u8> {
    let mut bytes = (samples.len() as i32).to_be_bytes().to_vec();
    bytes.extend(2_i32.to_be_bytes());
    let times = (0..samples.len()).map(|k| 0.5 + 0.25 * k as f32);
    bytes.extend(times.flat_map(|time| time.to_be_bytes()));
    let numbers = samples.as_flattened().as_flattened().iter();
    bytes.extend(numbers.flat_map(|number| number.to_be_bytes()));
    bytes
}
