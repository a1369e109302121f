//! Solids in the formats of the Visualization Toolkit: legacy `.vtk` and XML `.vtu`.
//!
//! Format: "VTK file formats" in the VTK documentation. Of an unstructured grid the
//! points and the cells are read, and of data arrays those of cells that have one number each:
//! integers become groups, all become fields.
//!
//! Our own parsers: `vtkio` has had no release but
//! candidates since 2021. XML is left to `quick-xml`.

mod array;
mod cell_data;
mod cells;
mod compressed;
mod legacy;
mod xml;

pub use legacy::read_vtk;
pub use xml::read_vtu;
