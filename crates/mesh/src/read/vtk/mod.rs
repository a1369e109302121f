//! Meshes in the formats of the Visualization Toolkit: legacy `.vtk`, XML `.vtu` and `.vtp`.
//!
//! Format: "VTK file formats" in the VTK documentation. Of an unstructured grid or of polygonal data the
//! points and the cells are read, and of data arrays those of cells that have one number each:
//! integers become groups, all become fields; those of points become fields of vertices, and masks nodes of groups.
//!
//! Our own parsers: `vtkio` has had no release but
//! candidates since 2021. XML is left to `quick-xml`.

mod array;
mod cell_data;
mod cells;
mod compressed;
mod grid;
mod legacy;
mod xml;

pub use legacy::{read_vtk, read_vtk_any};
pub use xml::{read_vtu, read_vtu_any};
