//! Gmsh's formats.

use resile_math::Vec3;
use resile_mesh::TetMesh;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Encoding {
    Text,
    LittleEndian,
    BigEndian,
}

/// A version of a `.msh` file, as text or binary in either byte order.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Format {
    pub(crate) version: &'static str,
    pub(crate) encoding: Encoding,
}

pub(crate) const FORMATS: [Format; 9] = {
    use Encoding::{BigEndian, LittleEndian, Text};
    [
        Format { version: "2.2", encoding: Text },
        Format { version: "2.2", encoding: LittleEndian },
        Format { version: "2.2", encoding: BigEndian },
        Format { version: "4.0", encoding: Text },
        Format { version: "4.0", encoding: LittleEndian },
        Format { version: "4.0", encoding: BigEndian },
        Format { version: "4.1", encoding: Text },
        Format { version: "4.1", encoding: LittleEndian },
        Format { version: "4.1", encoding: BigEndian },
    ]
};

/// Elements of one type: Gmsh's code and node tags.
pub(crate) struct Block {
    pub(crate) code: i32,
    pub(crate) elements: Vec<Vec<u64>>,
}

/// A mesh as a file describes it: tagged nodes, blocks of elements.
pub(crate) struct Content {
    pub(crate) nodes: Vec<(u64, Vec3)>,
    pub(crate) blocks: Vec<Block>,
}

impl Content {
    /// Tags from 1, as most programs write them.
    pub(crate) fn of(mesh: &TetMesh) -> Self {
        let nodes = mesh.positions.iter().zip(1..).map(|(&p, tag)| (tag, p)).collect();
        let tag = |&n: &u32| u64::from(n) + 1;
        let elements = mesh.tets.iter().map(|t| t.iter().map(tag).collect()).collect();
        Self { nodes, blocks: vec![Block { code: 4, elements }] }
    }

    /// Encodes straight from the reference manual, independently of the reader.
    pub(crate) fn encode(&self, format: Format) -> Vec<u8> {
        let mut out = Writer { bytes: Vec::new(), encoding: format.encoding };
        let binary = u8::from(format.encoding != Encoding::Text);
        out.text(&format!("$MeshFormat\n{} {binary} 8\n", format.version));
        if binary == 1 {
            out.int(1);
            out.text("\n");
        }
        out.text("$EndMeshFormat\n$PhysicalNames\n1\n3 1 \"body\"\n$EndPhysicalNames\n");
        match format.version {
            "2.2" => self.version_2(&mut out),
            "4.0" => self.version_4_0(&mut out),
            _ => self.version_4_1(&mut out),
        }
        out.bytes
    }

    fn count(&self) -> usize {
        self.blocks.iter().map(|b| b.elements.len()).sum()
    }

    fn version_2(&self, out: &mut Writer) {
        out.text(&format!("$Nodes\n{}\n", self.nodes.len()));
        for &(tag, p) in &self.nodes {
            out.int(tag as i32);
            p.to_array().into_iter().for_each(|c| out.real(c));
            out.line();
        }
        out.text(&format!("\n$EndNodes\n$Elements\n{}\n", self.count()));
        let mut number = 0;
        for block in &self.blocks {
            if out.encoding != Encoding::Text {
                [block.code, block.elements.len() as i32, 2].into_iter().for_each(|i| out.int(i));
            }
            for element in &block.elements {
                number += 1;
                out.int(number);
                if out.encoding == Encoding::Text {
                    [block.code, 2].into_iter().for_each(|i| out.int(i));
                }
                [1, 1].into_iter().for_each(|i| out.int(i));
                element.iter().for_each(|&tag| out.int(tag as i32));
                out.line();
            }
        }
        out.text("\n$EndElements\n");
    }

    /// Nodes in two blocks, the second parametric on a surface.
    fn version_4_0(&self, out: &mut Writer) {
        out.text("$Nodes\n");
        [2, self.nodes.len() as u64].into_iter().for_each(|n| out.size(n));
        out.line();
        let (first, second) = self.nodes.split_at(self.nodes.len() / 2);
        for (nodes, dimension, parametric) in [(first, 3, 0), (second, 2, 1)] {
            [1, dimension, parametric].into_iter().for_each(|i| out.int(i));
            out.size(nodes.len() as u64);
            out.line();
            for &(tag, p) in nodes {
                out.int(tag as i32);
                p.to_array().into_iter().for_each(|c| out.real(c));
                (0..dimension * parametric).for_each(|_| out.real(0.5));
                out.line();
            }
        }
        out.text("\n$EndNodes\n$Elements\n");
        [self.blocks.len() as u64, self.count() as u64].into_iter().for_each(|n| out.size(n));
        out.line();
        let mut number = 0;
        for block in &self.blocks {
            [1, 3, block.code].into_iter().for_each(|i| out.int(i));
            out.size(block.elements.len() as u64);
            out.line();
            for element in &block.elements {
                number += 1;
                out.int(number);
                element.iter().for_each(|&tag| out.int(tag as i32));
                out.line();
            }
        }
        out.text("\n$EndElements\n");
    }

    /// Nodes in two blocks, the second parametric on a surface.
    fn version_4_1(&self, out: &mut Writer) {
        out.text("$Nodes\n");
        [2, self.nodes.len() as u64, 1, 1].into_iter().for_each(|n| out.size(n));
        out.line();
        let (first, second) = self.nodes.split_at(self.nodes.len() / 2);
        for (nodes, dimension, parametric) in [(first, 3, 0), (second, 2, 1)] {
            [dimension, 1, parametric].into_iter().for_each(|i| out.int(i));
            out.size(nodes.len() as u64);
            out.line();
            for &(tag, _) in nodes {
                out.size(tag);
                out.line();
            }
            for &(_, p) in nodes {
                p.to_array().into_iter().for_each(|c| out.real(c));
                (0..dimension * parametric).for_each(|_| out.real(0.5));
                out.line();
            }
        }
        out.text("\n$EndNodes\n$Elements\n");
        [self.blocks.len() as u64, self.count() as u64, 1, 1].into_iter().for_each(|n| out.size(n));
        out.line();
        let mut number = 0;
        for block in &self.blocks {
            [3, 1, block.code].into_iter().for_each(|i| out.int(i));
            out.size(block.elements.len() as u64);
            out.line();
            for element in &block.elements {
                number += 1;
                out.size(number);
                element.iter().for_each(|&tag| out.size(tag));
                out.line();
            }
        }
        out.text("\n$EndElements\n");
    }
}

struct Writer {
    bytes: Vec<u8>,
    encoding: Encoding,
}

impl Writer {
    fn text(&mut self, text: &str) {
        self.bytes.extend(text.as_bytes());
    }

    fn line(&mut self) {
        if self.encoding == Encoding::Text {
            self.text("\n");
        }
    }

    fn int(&mut self, value: i32) {
        match self.encoding {
            Encoding::Text => self.text(&format!("{value} ")),
            Encoding::LittleEndian => self.bytes.extend(value.to_le_bytes()),
            Encoding::BigEndian => self.bytes.extend(value.to_be_bytes()),
        }
    }

    fn size(&mut self, value: u64) {
        match self.encoding {
            Encoding::Text => self.text(&format!("{value} ")),
            Encoding::LittleEndian => self.bytes.extend(value.to_le_bytes()),
            Encoding::BigEndian => self.bytes.extend(value.to_be_bytes()),
        }
    }

    fn real(&mut self, value: f64) {
        match self.encoding {
            Encoding::Text => self.text(&format!("{value:e} ")),
            Encoding::LittleEndian => self.bytes.extend(value.to_le_bytes()),
            Encoding::BigEndian => self.bytes.extend(value.to_be_bytes()),
        }
    }
}
