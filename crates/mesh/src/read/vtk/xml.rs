//! XML `.vtu` and `.vtp`: numbers as text, in base64, or raw after the XML; compressed with zlib or not.

use super::array::Appended;
use super::cells::{Cells, POLY_LINE, POLY_VERTEX, POLYGON, STRIP};
use super::grid::{DataSet, Grid, POINTS, TYPES, UNSTRUCTURED};
use crate::read::elements::{AnyMesh, Elements, SolidMesh};
use crate::read::{MeshFileError, OtherSolidPolicy, Seams, read_text, without_byte_order_mark};
use resile_math::Vec3;
use std::io::Read;

/// Reads a solid: an unstructured grid of a single piece, compressed with zlib or uncompressed.
pub fn read_vtu(reader: impl Read, policy: OtherSolidPolicy) -> Result<SolidMesh, MeshFileError> {
    read_cells(reader, policy)?.finish()
}

/// Reads a solid, or the surface of a file that has faces and no solid elements: an unstructured grid or, in
/// `.vtp` files, polygonal data.
pub fn read_vtu_any(
    reader: impl Read,
    policy: OtherSolidPolicy,
    seams: Seams,
) -> Result<AnyMesh, MeshFileError> {
    read_cells(reader, policy)?.finish_any(seams)
}

/// Reads points, cells and their data. `policy` is the treatment of solid elements other than tetrahedra.
fn read_cells(reader: impl Read, policy: OtherSolidPolicy) -> Result<Elements, MeshFileError> {
    let bytes = read_text(reader)?;
    let (xml, appended_bytes) = split_appended(without_byte_order_mark(&bytes));
    let grid = Grid::parse(xml)?;
    let appended_data = appended_bytes.map(|bytes| grid.appended(bytes));
    let appended = appended_data.as_ref();
    let coordinates = grid.reals(POINTS, appended)?;
    expect_count("coordinates", grid.point_count.saturating_mul(3), coordinates.len())?;
    let (points, _) = coordinates.as_chunks::<3>();
    let mut cells = match grid.kind {
        DataSet::UnstructuredGrid => {
            let mut cells = read_section(&grid, UNSTRUCTURED, appended)?;
            cells.types = grid.integers(TYPES, appended)?;
            expect_count("cells", grid.cell_counts[UNSTRUCTURED], cells.ends.len())?;
            cells
        }
        DataSet::PolyData => read_polygonal(&grid, appended)?,
    };
    cells.data = grid.cell_data(appended)?;
    cells.point_data = grid.point_data(appended)?;
    let positions = points.iter().map(|&p| Vec3::from_array(p)).collect();
    let mut elements = Elements::new(policy);
    elements.positions = positions;
    elements.data_notes = grid.notes();
    cells.add_cells_to(&mut elements)?;
    Ok(elements)
}

/// Reads connectivity and offsets of a section of cells, by its index in `SECTIONS` of [`grid`](super::grid).
fn read_section(
    grid: &Grid<'_>,
    section: usize,
    appended: Option<&Appended<'_>>,
) -> Result<Cells, MeshFileError> {
    let [connectivity, offsets] = Grid::cell_arrays_of(section);
    Ok(Cells {
        connectivity: grid.integers(connectivity, appended)?,
        ends: grid.integers(offsets, appended)?,
        ..Cells::default()
    })
}

/// Reads the cells of polygonal data, in VTK's cell order.
fn read_polygonal(
    grid: &Grid<'_>,
    appended: Option<&Appended<'_>>,
) -> Result<Cells, MeshFileError> {
    let mut cells = Cells::default();
    for (section, cell_type) in (1..).zip([POLY_VERTEX, POLY_LINE, POLYGON, STRIP]) {
        // Sections without cells may be missing.
        if grid.cell_counts[section] == 0 {
            continue;
        }
        let section_cells = read_section(grid, section, appended)?;
        expect_count("cells", grid.cell_counts[section], section_cells.ends.len())?;
        cells.append(section_cells, cell_type);
    }
    Ok(cells)
}

/// Rejects a number of items `what` that differs from the announced one.
fn expect_count(what: &'static str, announced: u64, found: usize) -> Result<(), MeshFileError> {
    let found = found as u64;
    if announced == found {
        Ok(())
    } else {
        Err(MeshFileError::CountMismatch { what, announced, found })
    }
}

/// Splits a file into the XML and the bytes after the underscore of `AppendedData`, which need not be text.
fn split_appended(bytes: &[u8]) -> (&[u8], Option<&[u8]>) {
    const TAG: &[u8] = b"<AppendedData";
    let Some(start) = bytes.windows(TAG.len()).position(|w| w == TAG) else {
        return (bytes, None);
    };
    let from_tag = &bytes[start..];
    let tag_length = from_tag.iter().position(|&b| b == b'>').map_or(from_tag.len(), |k| k + 1);
    let (xml, rest) = bytes.split_at(start + tag_length);
    let data = rest.iter().position(|&b| b == b'_').map(|underscore| &rest[underscore + 1..]);
    (xml, data)
}
