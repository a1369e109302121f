//! Checks of shells with several thicknesses or layers.

use super::problem::{Checker, Names};
use super::{Body, Kind};

/// Relative tolerance of the sum of the layers to the thickness of a shell, for rounded numbers in files.
const SUM_TOLERANCE: f64 = 1e-6;

/// Checks that only shells have thicknesses and layers, that groups belong to a file, and that the layers add up to the
/// thickness.
pub(super) fn check_shell_sections(c: &mut Checker, path: &str, body: &Body, materials: &Names) {
    let fields = [
        ("thickness_map", body.thickness_map.is_some()),
        ("group_thickness", !body.group_thickness.is_empty()),
        ("layers", !body.layers.is_empty()),
    ];
    let Kind::Shell { thickness, .. } = body.kind else {
        for (field, _) in fields.into_iter().filter(|(_, is_given)| *is_given) {
            let message = format!("\"{}\" is no shell, which alone has a thickness", body.name);
            let help = format!("remove `{field}`, or add `kind: Shell(thickness: ...)`");
            c.error(&format!("{path}.{field}"), message, help);
        }
        return;
    };
    if body.thickness_map.is_some() && !body.group_thickness.is_empty() {
        let message = format!("\"{}\" has thicknesses by vertex and by group", body.name);
        let help = "remove `group_thickness` or `thickness_map`";
        c.error(&format!("{path}.group_thickness"), message, help);
    }
    if !body.group_thickness.is_empty() && !body.shape.is_from_file() {
        let message = format!("\"{}\" has no groups, which mesh files have", body.name);
        c.error(
            &format!("{path}.group_thickness"),
            message,
            "use a `shape: File(...)` with groups",
        );
    }
    check_layers(c, path, body, thickness, materials);
}

/// Checks that the layers of a shell add up to its `thickness` (m), and that their materials exist.
fn check_layers(c: &mut Checker, path: &str, body: &Body, thickness: f64, materials: &Names) {
    let sum: f64 = body.layers.iter().map(|layer| layer.thickness).sum();
    if !body.layers.is_empty() && (sum / thickness - 1.0).abs() > SUM_TOLERANCE {
        let message = "the thicknesses of the layers do not add up to that of the shell";
        let help = "`thickness` of the kind is that of all layers together";
        c.error(&format!("{path}.layers"), message, help);
    }
    for (k, layer) in body.layers.iter().enumerate() {
        c.check_name(
            &format!("{path}.layers[{k}].material"),
            "material",
            &layer.material,
            materials,
        );
    }
}
