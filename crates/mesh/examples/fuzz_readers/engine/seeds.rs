//! What is damaged: good files in every dialect, and some that are odd.

use crate::good_files::{GoodFile, all, ball, mixed};
use resile_mesh::read::Groups;
use resile_mesh::write::{write_gmsh, write_medit, write_obj, write_ply, write_vtu};

/// Of one reader.
pub(crate) fn seeds(ending: &'static str) -> Vec<GoodFile> {
    let mut seeds = all();
    seeds.extend(mixed::all());
    seeds.retain(|file| file.ending == ending);
    let mut add = |name: &str, bytes| {
        seeds.push(GoodFile { ending, name: name.to_owned(), bytes });
    };
    if let Some(bytes) = written(ending) {
        add("written by this program", bytes);
    }
    for (_, text) in ODD.iter().filter(|(own, _)| *own == ending) {
        add("odd", (*text).into());
    }
    seeds
}

/// As this program writes it.
fn written(ending: &str) -> Option<Vec<u8>> {
    let (solid, surface, mut out) = (ball(), ball().boundary(), Vec::new());
    match ending {
        "obj" => write_obj(&surface, &Groups::new(), &mut out),
        "ply" => write_ply(&surface, &mut out),
        "msh" => write_gmsh(&solid, &Groups::new(), &mut out),
        "vtu" => write_vtu(&solid, &Groups::new(), &mut out),
        "mesh" => write_medit(&solid, &Groups::new(), &mut out),
        _ => return None,
    }
    .expect("memory takes everything");
    Some(out)
}

/// Short files that have what the others have not: a change hits it more often.
const ODD: [(&str, &str); 11] = [
    (
        "obj",
        "# quads\no cube\nv 0 0 0 1 1 1\nv 1 0 0\nv 1 1 0\nv 0 1 0\nvt 0 0\nvn 0 0 1\n\
         f 1/1/1 2/1/1 3/1/1 4/1/1\nf -1 -2 -3\ng part\nusemtl x\ns off\nl 1 2\n",
    ),
    (
        "msh",
        "$MeshFormat\n2.2 0 8\n$EndMeshFormat\n$PhysicalNames\n2\n3 2 \"soft\"\n2 1 \"side\"\n\
         $EndPhysicalNames\n$Nodes\n4\n1 0 0 0\n2 1 0 0\n3 0 1 0\n4 0 0 1\n$EndNodes\n$Elements\n\
         2\n1 2 2 1 5 1 2 3\n2 4 2 2 1 1 2 3 4\n$EndElements\n",
    ),
    (
        "msh",
        "$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$PhysicalNames\n1\n3 2 \"soft\"\n$EndPhysicalNames\n\
         $Entities\n1 0 1 1\n5 9 9 9 1 7\n4 0 0 0 1 1 0 1 1 0\n1 0 0 0 1 1 1 2 2 -3 2 4 -3\n\
         $EndEntities\n$Nodes\n1 4 1 4\n3 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n0 1 0\n0 0 1\n$EndNodes\n\
         $Elements\n2 2 1 2\n2 4 2 1\n1 1 2 3\n3 1 4 1\n2 1 2 3 4\n$EndElements\n",
    ),
    (
        "vtk",
        "# vtk DataFile Version 3.0\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\nPOINTS 4 double\n\
         0 0 0 1 0 0 0 1 0 0 0 1\nCELLS 2 9\n3 0 1 2\n4 0 1 2 3\nCELL_TYPES 2\n5 10\nCELL_DATA 2\n\
         SCALARS part int 1\nLOOKUP_TABLE default\n4 2\nFIELD FieldData 2\nthree 3 2 float\n\
         1 2 3 4 5 6\nyoung 1 2 double\n0 1e5\nPOINT_DATA 4\nVECTORS v float\n0 0 0 0 0 0 0 0 0 0 0 0\n",
    ),
    (
        "ply",
        "ply\nformat ascii 1.0\nobj_info none\nelement texture 1\nproperty list uchar int8 of\n\
         element vertex 4\nproperty int16 x\nproperty uint y\nproperty float z\n\
         element nothing 1000000\nelement face 1\nproperty list int ushort vertex_index\n\
         end_header\n2 7 -7\n0 0 0\n1 0 0\n1 1 0.5\n0 1 0\n4 0 1 2 3\n",
    ),
    ("off", "4 1 0 # no first word\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n4 0 1 2 3 0.5 0.5 0.5\n"),
    (
        "msh",
        "$Comments\nnone\n$EndComments\n$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Entities\n0 0 0 0\n\
         $EndEntities\n$Nodes\n1 4 1 4\n3 1 1 4\n1\n2\n3\n4\n0 0 0 0 0 0\n1 0 0 0 0 0\n\
         0 1 0 0 0 0\n0 0 1 0 0 0\n$EndNodes\n$Elements\n2 2 1 2\n0 1 15 1\n1 1\n3 1 4 1\n\
         2 1 2 3 4\n$EndElements\n$Periodic\n0\n$EndPeriodic\n",
    ),
    (
        "vtk",
        "# vtk DataFile Version 5.1\nby hand\nASCII\nDATASET UNSTRUCTURED_GRID\n\
         POINTS 4 float\n0 0 0\n1 0 0\n0 1 0\n0 0 1\nMETADATA\nINFORMATION 0\n\n\
         CELLS 2 4\nOFFSETS vtktypeint64\n0 4\nCONNECTIVITY vtktypeint64\n0 1 2 3\nCELL_TYPES 1\n10\n\
         POINT_DATA 4\nSCALARS a float 1\nLOOKUP_TABLE default\n1 2 3 4\n",
    ),
    (
        "vtu",
        "<?xml version=\"1.0\"?>\n<VTKFile type=\"UnstructuredGrid\" version=\"0.1\" \
         byte_order=\"LittleEndian\">\n<UnstructuredGrid><Piece NumberOfPoints=\"4\" \
         NumberOfCells=\"1\">\n<Points><DataArray type=\"Float64\" NumberOfComponents=\"3\" \
         format=\"ascii\">0 0 0 1 0 0 0 1 0 0 0 1</DataArray></Points>\n<Cells>\
         <DataArray type=\"Int32\" Name=\"connectivity\" format=\"ascii\">0 1 2 3</DataArray>\
         <DataArray type=\"Int32\" Name=\"offsets\" format=\"ascii\">4</DataArray>\
         <DataArray type=\"UInt8\" Name=\"types\" format=\"binary\">AQAAAAo=</DataArray>\
         </Cells></Piece></UnstructuredGrid></VTKFile>\n",
    ),
    (
        "mesh",
        "MeshVersionFormatted 1\n\nDimension\n3\n# by hand\nVertices 4\n0 0 0 1\n1 0 0 1\n\
         0 1 0 1\n0 0 1 1\nEdges\n1\n1 2 0\nTriangles 1\n1 2 3 0\nTetrahedra 1\n1 2 3 4 7\nEnd\n",
    ),
    ("node", "4 3 0 1\n1 0 0 0 1\n2 1 0 0 1\n3 0 1 0 1\n4 0 0 1 1\n@1 4 1\n1 1 2 3 4 9\n"),
];
