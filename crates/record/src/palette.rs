//! Colours of bodies, shared by films and exports.

/// Red, green and blue in linear light; 1 is the maximum of a display.
pub type Light = [f32; 3];

/// sRGB colours of bodies, `0xrrggbb`: muted and of similar lightness; successive colours are distinguishable, also for
/// colour-blind readers.
const BODY_COLOURS: [u32; 10] = [
    0x004c_78a8,
    0x00f2_8e2b,
    0x0059_a14f,
    0x00d6_5f5f,
    0x0076_b7b2,
    0x00ed_c948,
    0x008b_6bb1,
    0x00e3_86a8,
    0x009c_755f,
    0x0086_bcb6,
];

/// Colour of the body with this index, which counts bodies without obstacles and planes.
pub fn body(index: usize) -> Light {
    // The second and third use of a colour are darker and lighter.
    let repetition = (index / BODY_COLOURS.len()) % 3;
    srgb(BODY_COLOURS[index % BODY_COLOURS.len()])
        .map(|channel| channel * [1.0, 0.72, 1.25][repetition])
}

/// Colour of obstacles and planes.
pub fn obstacle() -> Light {
    srgb(0x00a3_a7ad)
}

/// Linear light of an sRGB colour `0xrrggbb`.
pub fn srgb(hex: u32) -> Light {
    [16, 8, 0].map(|shift| linear((hex >> shift & 255) as f32 / 255.0))
}

/// Converts sRGB, 0 to 1, to linear light (IEC 61966-2-1).
pub fn linear(encoded: f32) -> f32 {
    match encoded <= 0.040_45 {
        true => encoded / 12.92,
        false => ((encoded + 0.055) / 1.055).powf(2.4),
    }
}

/// Converts linear light, 0 to 1, to sRGB (IEC 61966-2-1).
pub fn encoded(light: f32) -> f32 {
    match light <= 0.003_130_8 {
        true => 12.92 * light,
        false => 1.055 * light.powf(1.0 / 2.4) - 0.055,
    }
}
