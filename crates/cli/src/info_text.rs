//! The text output of `sim info`.

use crate::report::{counted, digits};
use crate::stream::one_line;
use resile_assembly::info::{
    BodyInfo, CurvesInfo, GroupInfo, Histogram, MeshInfo, SceneInfo, SolidInfo, Spread, SurfaceInfo,
};
use resile_scene::description::Units;
use std::fmt::Write as _;

/// Length of the longest bar of a histogram.
const BAR_LENGTH: usize = 50;

/// The text of a description; most lines consist of a name and a value.
#[derive(Default)]
struct Table {
    text: String,
}

impl Table {
    /// Adds a name and a value.
    fn row(&mut self, name: &str, value: impl std::fmt::Display) {
        let (name, value) = (one_line(name).into_owned(), value.to_string());
        let _ = writeln!(self.text, "  {name:<17}{}", one_line(&value));
    }

    /// Adds a whole line.
    fn line(&mut self, text: &str) {
        let _ = writeln!(self.text, "{}", one_line(text));
    }

    /// Adds a bar for each range of values, relative to the largest count. Empty ranges at either end are left out.
    fn histogram(&mut self, title: &str, histogram: &Histogram) {
        self.line(&format!("  {title}"));
        let counts = &histogram.counts;
        let first = counts.iter().position(|&c| c > 0).unwrap_or(0);
        let last = counts.iter().rposition(|&c| c > 0).unwrap_or(0);
        let max_count = counts.iter().copied().max().unwrap_or(0).max(1);
        for (k, &count) in counts.iter().enumerate().take(last + 1).skip(first) {
            let (from, to) = (k as f64 * histogram.width, (k + 1) as f64 * histogram.width);
            let bar = "#".repeat((count * BAR_LENGTH).div_ceil(max_count));
            let line = format!("    {from:>3} - {to:<3} {count:>8}  {bar}");
            self.line(line.trim_end());
        }
    }
}

/// The description of a mesh.
pub(crate) fn mesh_text(file: &str, info: &MeshInfo) -> String {
    let mut table = Table::default();
    match info {
        MeshInfo::Solid(solid) => solid_rows(&mut table, file, solid),
        MeshInfo::Curves(curves) => curve_rows(&mut table, file, curves),
        MeshInfo::Surface(surface) => {
            let closed = if surface.closed { "a closed surface" } else { "a surface" };
            table.line(&format!("{file}: {closed}"));
            surface_rows(&mut table, surface);
            let title = "smallest angle of each triangle (degrees; 60 is best)";
            table.histogram(title, &surface.angles);
            remark_lines(&mut table, &surface_remarks(file, surface));
        }
    }
    table.text.trim_end().to_owned()
}

/// Adds the counts and lengths of curves, one property per row.
fn curve_rows(table: &mut Table, file: &str, curves: &CurvesInfo) {
    table.line(&format!("{file}: curves"));
    table.row("curves", format!("{} open, {} closed", curves.open, curves.closed));
    table.row("vertices", curves.vertices);
    table.row("size", size_text(curves.size, curves.from));
    table.row("length", format!("{} m in all", digits(curves.length)));
    table.row("curve lengths", spread(curves.lengths, "m"));
    table.row("pieces", format!("{}, {}", curves.pieces, spread(curves.piece_lengths, "m")));
    remark_lines(table, &size_remarks(curves.size));
    vertex_data_row(table, &curves.vertex_data);
}

/// Adds the counts, measures, quality and defects of a tetrahedral mesh, one property per row.
fn solid_rows(table: &mut Table, file: &str, solid: &SolidInfo) {
    table.line(&format!("{file}: a solid"));
    table.row("nodes", solid.nodes);
    table.row("tetrahedra", solid.tetrahedra);
    table.row("size", size_text(solid.size, solid.from));
    let volume = solid.curved_volume.unwrap_or(solid.volume);
    table.row("volume", format!("{} m^3", digits(volume)));
    if solid.curved_volume.is_some() {
        let text = format!(
            "{} tetrahedra; the rows below are of straight edges, with which the volume is {} m^3",
            solid.curved,
            digits(solid.volume)
        );
        table.row("curved edges", text);
    }
    table.row("parts", solid.parts);
    table.row("edges", spread(solid.edge_lengths, "m"));
    table.row("smallest angles", spread(solid.smallest_angles, "degrees"));
    let boundary = &solid.boundary;
    table.row(
        "boundary",
        format!("{} triangles, {} m^2", boundary.triangles, digits(boundary.area)),
    );
    group_rows(table, "groups", &solid.groups, "tetrahedra");
    group_rows(table, "boundary groups", &boundary.groups, "triangles");
    if !solid.cell_data.is_empty() {
        table.row("cell data", solid.cell_data.join(", "));
    }
    vertex_data_row(table, &boundary.vertex_data);
    let inverted_count = solid.inverted.len();
    let defect_counts = [
        (solid.reoriented, "tetrahedra of negative orientation, reversed on reading"),
        (inverted_count, "flat or inverted tetrahedra"),
        (solid.duplicate_nodes, "duplicate nodes"),
        (solid.unused_nodes, "unused nodes"),
        (boundary.non_manifold_edges, "non-manifold edges of the boundary"),
    ];
    defect_rows(table, &defect_counts);
    let title = "smallest dihedral angle of each tetrahedron (degrees; 70 is best)";
    table.histogram(title, &solid.angles);
    let mut remarks = size_remarks(solid.size);
    if let Some(reason) = &solid.unfit {
        remarks.push(format!("it cannot be simulated as it is: {reason}"));
    }
    if inverted_count > 0 {
        remarks.push(format!(
            "to remesh it from its boundary: sim mesh {file} -o boundary.obj, and then sim mesh \
             boundary.obj -o solid.msh"
        ));
    } else if solid.smallest_angles.smallest < 5.0 {
        remarks.push(
            "elements with dihedral angles below 5 degrees slow down a simulation: remesh it from its boundary"
                .to_owned(),
        );
    }
    remark_lines(table, &remarks);
}

/// Adds the counts, measures and defects of a surface, one property per row.
fn surface_rows(table: &mut Table, surface: &SurfaceInfo) {
    table.row("vertices", surface.vertices);
    table.row("triangles", format!("{}, {} edges", surface.triangles, surface.edges));
    table.row("size", size_text(surface.size, surface.from));
    table.row("area", format!("{} m^2", digits(surface.area)));
    let volume = surface.volume.map(|volume| match surface.union_volume {
        Some(union) => format!(
            "about {} m^3; {} m^3 if the overlap of parts is counted for each of them",
            digits(estimate(union)),
            digits(volume)
        ),
        None => format!("{} m^3", digits(volume)),
    });
    table.row("volume", volume.unwrap_or_else(|| "none, the surface is not closed".to_owned()));
    let parts_by_facing = [
        (surface.outward_parts, "closed and facing outward"),
        (surface.inward_parts, "closed and facing inward"),
        (surface.other_parts, "not closed"),
    ];
    let parts_by_facing = parts_by_facing.iter().filter(|(count, _)| *count > 0);
    let parts_by_facing: Vec<String> =
        parts_by_facing.map(|(count, how)| format!("{count} {how}")).collect();
    table.row("parts", parts_by_facing.join(", "));
    table.row("edges", spread(surface.edge_lengths, "m"));
    group_rows(table, "groups", &surface.groups, "triangles");
    vertex_data_row(table, &surface.vertex_data);
    let open = format!("open edges, in {} boundary loops", surface.rims);
    let defect_counts = [
        (surface.open_edges, open.as_str()),
        (surface.non_manifold_edges, "non-manifold edges"),
        (surface.misoriented_edges, "edges with inconsistent orientation"),
        (surface.duplicate_triangles, "duplicate triangles"),
        (surface.flat_triangles, "degenerate triangles"),
        (surface.buried_triangles, "triangles at least partly inside another part"),
        (surface.duplicate_vertices, "duplicate vertices"),
        (surface.unused_vertices, "unused vertices"),
    ];
    defect_rows(table, &defect_counts);
}

/// An estimate, rounded to three significant digits.
fn estimate(value: f64) -> f64 {
    format!("{value:.2e}").parse().unwrap_or(value)
}

/// Adds the names of vertex data, which maps of a scene can use.
fn vertex_data_row(table: &mut Table, names: &[String]) {
    if !names.is_empty() {
        table.row("vertex data", names.join(", "));
    }
}

/// Adds the groups of a mesh, which regions and materials of a scene can use. Only the first row has the title.
fn group_rows(table: &mut Table, mut title: &str, groups: &[GroupInfo], elements: &str) {
    const MAX_LISTED: usize = 20;
    for group in groups.iter().take(MAX_LISTED) {
        let content = match group.elements {
            0 => format!("{} nodes", group.nodes),
            count => format!("{count} {elements}, {} nodes", group.nodes),
        };
        table.row(title, format!("\"{}\": {content}", group.name));
        title = "";
    }
    if let Some(more @ 1..) = groups.len().checked_sub(MAX_LISTED) {
        table.row("", format!("and {more} more"));
    }
}

/// Adds the counts that are not zero, with their nouns, or `none`.
fn defect_rows(table: &mut Table, counts: &[(usize, &str)]) {
    let mut name = "defects";
    for (count, noun) in counts.iter().filter(|(count, _)| *count > 0) {
        table.row(name, format!("{count} {noun}"));
        name = "";
    }
    if name == "defects" {
        table.row(name, "none");
    }
}

/// Suggestions for a surface: about its units, repair, and filling with tetrahedra.
fn surface_remarks(file: &str, surface: &SurfaceInfo) -> Vec<String> {
    let mut remarks = size_remarks(surface.size);
    let defects = surface.non_manifold_edges
        + surface.misoriented_edges
        + surface.duplicate_triangles
        + surface.flat_triangles
        + surface.inward_parts;
    let command = format!("sim mesh {file} --repair -o mended.obj");
    if defects > 0 {
        remarks.push(format!("to repair it: {command}"));
    } else if surface.open_edges > 0 {
        remarks.push(format!("if it should be closed: {command}"));
    }
    if surface.closed {
        remarks.push(format!("to fill it with tetrahedra: sim mesh {file} -o solid.msh"));
    }
    remarks
}

/// A remark if the largest extent (m) suggests that lengths are not in metres.
fn size_remarks(size: [f64; 3]) -> Vec<String> {
    let largest = size.into_iter().fold(0.0, f64::max);
    let mut remarks = Vec::new();
    if largest > 50.0 {
        remarks.push(format!(
            "it is {} m across: if lengths are in millimetres, `placement: (scale: \
             0.001)` in the scene makes them metres",
            digits(largest)
        ));
    } else if largest < 1e-3 {
        remarks.push(format!(
            "it is {} m across: if lengths are in other units, `placement: (scale: \
             ...)` in the scene makes them metres",
            digits(largest)
        ));
    }
    remarks
}

/// Adds remarks, one per line.
fn remark_lines(table: &mut Table, remarks: &[String]) {
    remarks.iter().for_each(|remark| table.line(&format!("  - {remark}")));
}

/// Extents along the axes, and the lower corner of the bounding box.
fn size_text(size: [f64; 3], lower_corner: [f64; 3]) -> String {
    let [x, y, z] = lower_corner.map(digits);
    format!("{}, from ({x}, {y}, {z})", extent(size))
}

/// The range and the median of a quantity.
pub(crate) fn spread(spread: Spread, unit: &str) -> String {
    let Spread { smallest, median, largest } = spread;
    let [smallest, median, largest] = [smallest, median, largest].map(digits);
    format!("{smallest} to {largest} {unit}, median {median}")
}

/// Extents along the axes.
pub(crate) fn extent(size: [f64; 3]) -> String {
    extent_in(Units::Metres, size)
}

/// Extents (m) in the units of a scene.
fn extent_in(units: Units, size: [f64; 3]) -> String {
    let [x, y, z] = size.map(|length| digits(units.length(length)));
    format!("{x} x {y} x {z} {}", units.symbol("m"))
}

/// A value in SI units, converted to the units of a scene, with its unit.
pub(crate) fn with_unit(units: Units, value: f64, si: &str) -> String {
    format!("{} {}", digits(units.number(value, si)), units.symbol(si))
}

/// The description of a scene.
pub(crate) fn scene_text(info: &SceneInfo) -> String {
    let mut table = Table::default();
    table.line(&format!("{}: a scene", info.name));
    let bodies: usize = info.bodies.iter().map(|body| body.copies).sum();
    table.row("bodies", bodies);
    table.row("nodes", format!("{}, {} tetrahedra", info.nodes, info.tetrahedra));
    let units = info.units;
    table.row("size", extent_in(units, info.size));
    table.row("mass", with_unit(units, info.mass, "kg"));
    let [gx, gy, gz] = info.gravity.map(|g| units.number(g, "m/s^2"));
    table.row("gravity", format!("({gx}, {gy}, {gz}) {}", units.symbol("m/s^2")));
    table.row("integrator", &info.integrator);
    table.row("solver", &info.solver);
    let (h, duration) = (info.time_step, info.duration);
    let steps = counted(info.steps as usize, "step", "steps");
    table.row("time", format!("{steps} of {} s, {duration} s in all", digits(h)));
    match &info.contact {
        None => table.row("contact", "off"),
        Some(contact) => {
            let d_hat = units.show(contact.d_hat, "m");
            let kappa = units.show(contact.kappa, "Pa");
            let slip = units.show(contact.slip_speed, "m/s");
            let text = format!("d_hat {d_hat}, kappa {kappa:e}, slip speed {slip}");
            table.row("contact", text);
            table.row("barrier", format!("{:?}", contact.barrier));
        }
    }
    table.line("materials");
    for material in &info.materials {
        let density = units.number(material.density, "kg/m^3");
        // Densities in t/mm^3 are small.
        let density = if density < 1e-3 { format!("{density:e}") } else { density.to_string() };
        let (unit, poisson) = (units.symbol("kg/m^3"), material.poisson);
        let young = units.show(material.young, "Pa");
        let text = format!("{density} {unit}, E {young:e}, nu {poisson}");
        table.row(&material.name, text);
    }
    table.line("bodies");
    info.bodies.iter().for_each(|body| body_rows(&mut table, body, units));
    if !info.obstacles.is_empty() {
        table.line("obstacles");
    }
    for obstacle in &info.obstacles {
        let moves = if obstacle.moves { ", moving" } else { "" };
        table.row(&obstacle.name, format!("{}{moves}", obstacle.kind));
    }
    table.text.trim_end().to_owned()
}

/// Adds the kind, mass, mesh and size of a body.
fn body_rows(table: &mut Table, body: &BodyInfo, units: Units) {
    let copies =
        if body.copies > 1 { format!("{} copies, each ", body.copies) } else { String::new() };
    let material = body.material.as_ref().map(|name| format!(" of {name}")).unwrap_or_default();
    let kind = body.kind;
    table.row(
        &body.name,
        format!("{copies}{kind}{material}, {}", with_unit(units, body.mass, "kg")),
    );
    let elements = match (body.tetrahedra, body.triangles) {
        (0, 0) => String::new(),
        (0, triangles) => format!(", {triangles} triangles"),
        (tets, triangles) => format!(", {tets} tetrahedra, {triangles} triangles outside"),
    };
    let curved = match body.curved {
        0 => String::new(),
        curved => format!(", {curved} tetrahedra with curved edges"),
    };
    table.row("", format!("{} nodes{elements}{curved}", body.nodes));
    let volume = body.volume.map(|volume| format!(", {}", with_unit(units, volume, "m^3")));
    table.row("", extent_in(units, body.size) + &volume.unwrap_or_default());
    if let Some(angle) = body.smallest_angle {
        table.row("", format!("smallest dihedral angle {angle:.1} degrees"));
    }
}
