//! Colours: linear light and sRGB, body colours, and the colour map of values.

use glam::Vec3;
pub use palette::linear;
use resile_record::palette;
use std::sync::LazyLock;

/// Linear red, green and blue; 1 is the maximum of a display.
pub type Light = Vec3;

/// Linear light of an sRGB colour `0xrrggbb`.
pub fn srgb(hex: u32) -> Light {
    palette::srgb(hex).into()
}

/// Encodes linear light as a byte of sRGB. Light above 0.8 is compressed smoothly, so that overexposed areas
/// have no visible edge.
pub fn encoded(light: f32) -> u8 {
    // The steepest part of the curve has three table entries per byte.
    const ENTRIES_PER_UNIT: f32 = 10_000.0;
    static TABLE: LazyLock<Vec<u8>> =
        LazyLock::new(|| (0..=100_000u32).map(|n| encode(n as f32 / ENTRIES_PER_UNIT)).collect());
    let entry = (light * ENTRIES_PER_UNIT + 0.5) as usize;
    TABLE[entry.min(TABLE.len() - 1)]
}

/// Computes an entry of the table of [`encoded`].
fn encode(light: f32) -> u8 {
    const KNEE: f32 = 0.8;
    let excess = (light - KNEE).max(0.0) / (1.0 - KNEE);
    let compressed = light.min(KNEE) + (1.0 - KNEE) * excess / (1.0 + excess);
    (255.0 * palette::encoded(compressed) + 0.5) as u8
}

/// Colour of the cut faces of bodies whose surface shows values, where the cut face has no values.
pub(crate) fn cut_face() -> Light {
    srgb(0x8c_8c8c)
}

/// Colour of fixed bodies.
pub fn obstacle() -> Light {
    palette::obstacle().into()
}

/// Colour of the body with this index among the coloured bodies.
pub fn body(number: usize) -> Light {
    palette::body(number).into()
}

/// Colour of a value from 0 to 1: dark blue, teal, green, yellow, with increasing lightness, so that the order
/// is visible in greyscale. Interpolated linearly in sRGB between control colours.
pub fn of_value(value: f32) -> Light {
    const CONTROL_COLORS: [u32; 9] = [
        0x0044_0154,
        0x0047_2d7b,
        0x003b_528b,
        0x002c_728e,
        0x0021_918c,
        0x0028_ae80,
        0x005e_c962,
        0x00ad_dc30,
        0x00fd_e725,
    ];
    let position = value.clamp(0.0, 1.0) * (CONTROL_COLORS.len() - 1) as f32;
    let lower = (position as usize).min(CONTROL_COLORS.len() - 2);
    let fraction = position - lower as f32;
    let channel = |shift: u32| {
        let srgb = |index: usize| (CONTROL_COLORS[index] >> shift & 255) as f32 / 255.0;
        linear(srgb(lower) + fraction * (srgb(lower + 1) - srgb(lower)))
    };
    Vec3::new(channel(16), channel(8), channel(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn srgb_round_trip_through_linear_light_is_exact() {
        for byte in 0..=230u8 {
            let light = linear(f32::from(byte) / 255.0);
            let back = encoded(light);
            // Compressed values decode darker.
            assert!(back == byte || (light > 0.8 && back < byte), "{byte} came back as {back}");
        }
        assert_eq!((encoded(-1.0), encoded(0.0), encoded(1e9)), (0, 0, 255));
        let bytes: Vec<u8> = (0..4000u16).map(|n| encoded(f32::from(n) / 1000.0)).collect();
        assert!(bytes.is_sorted(), "brighter light is never darker on a screen");
    }

    #[test]
    fn colour_map_lightness_is_monotonic() {
        let lightness = |n: u16| of_value(f32::from(n) / 100.0).dot(Vec3::new(0.21, 0.72, 0.07));
        assert!((0..100).all(|n| lightness(n) < lightness(n + 1)));
        assert_eq!((of_value(-3.0), of_value(9.0)), (of_value(0.0), of_value(1.0)));
    }
}
