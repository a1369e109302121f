//! Meshes in the formats of the Visualization Toolkit: legacy `.vtk`, XML `.vtu` and `.vtp`.
//!
//! Format: "VTK file formats" in the VTK documentation. The readers take the points and cells of an
//! unstructured grid or of polygonal data, and the data arrays with one value per cell or point. Integer arrays
//! of cells become groups; all cell arrays become fields. Point arrays become vertex fields, and masks among
//! them node groups.
//!
//! Our own parsers: `vtkio` has had only release candidates since 2021. `quick-xml` parses the XML.

mod array;
mod cell_data;
mod cells;
mod compressed;
mod grid;
mod legacy;
mod legacy_data;
mod xml;

pub use legacy::{read_vtk, read_vtk_any};
pub use xml::{read_vtu, read_vtu_any};
