//! Visits the numbers of a scene with the fields that hold them.
//!
//! The visitor is a serialiser without output. serde's derived code passes it the names of types and fields, so it
//! visits new fields without further code.

use super::quantity::{Quantity, quantity_within};
use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, Serializer,
};
use std::fmt::{Display, Write as _};

/// A visited number or innermost list of numbers, of a field that has a [`Quantity`].
pub(super) enum Visited<'a> {
    /// A number. The numbers of a list are visited before the list.
    Number {
        /// Its index in the list, if it is in one.
        index: Option<usize>,
        value: f64,
    },
    /// All numbers of a list.
    List(&'a [f64]),
}

/// The function to call for each number and list, with its path, such as `bodies[2].shape.size[0]`.
type Visit<'v> = dyn FnMut(&'static Quantity, &dyn Display, &Visited<'_>) + 'v;

/// Visits the numbers of a value in the order of its fields.
pub(super) fn walk(value: &impl Serialize, visit: &mut Visit<'_>) {
    let (path, list) = (Path::default(), Vec::new());
    let result = value.serialize(&mut Walker { path, quantity: None, list, visit });
    debug_assert!(result.is_ok(), "{result:?}");
}

/// A segment of a path.
#[derive(Debug, Clone)]
enum PathSegment {
    Field(&'static str),
    Key(String),
    Index(usize),
}

#[derive(Debug, Default)]
struct Path(Vec<PathSegment>);

impl Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (depth, segment) in self.0.iter().enumerate() {
            if depth > 0 && !matches!(segment, PathSegment::Index(_)) {
                f.write_char('.')?;
            }
            match segment {
                PathSegment::Field(name) => f.write_str(name)?,
                PathSegment::Key(name) => f.write_str(name)?,
                PathSegment::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

/// The serialiser that visits numbers.
struct Walker<'v> {
    path: Path,
    /// Quantity of the field whose value is visited.
    quantity: Option<&'static Quantity>,
    /// Numbers of the innermost list that have been visited.
    list: Vec<f64>,
    visit: &'v mut Visit<'v>,
}

type Outcome = Result<(), std::fmt::Error>;
type Nested<'w, 'v> = Result<NestedValues<'w, 'v>, std::fmt::Error>;

impl Walker<'_> {
    /// Visits a number, and appends it to the current list.
    fn visit_number(&mut self, value: f64) -> Outcome {
        let index = match self.path.0.last() {
            Some(&PathSegment::Index(index)) => Some(index),
            _ => None,
        };
        self.list.push(value);
        if let Some(quantity) = self.quantity {
            (self.visit)(quantity, &self.path, &Visited::Number { index, value });
        }
        Ok(())
    }

    /// Visits the numbers of a value at a segment below the current path.
    fn visit_at<T: Serialize + ?Sized>(&mut self, segment: PathSegment, value: &T) -> Outcome {
        self.path.0.push(segment);
        value.serialize(&mut *self)?;
        self.path.0.pop();
        Ok(())
    }

    /// Visits the numbers of a field of the struct or variant `owner` (type and variant).
    fn visit_field<T: Serialize + ?Sized>(
        &mut self,
        owner: [&'static str; 2],
        name: &'static str,
        segment: PathSegment,
        value: &T,
    ) -> Outcome {
        let quantity = quantity_within(self.quantity, owner, name);
        let outer = std::mem::replace(&mut self.quantity, quantity);
        self.visit_at(segment, value)?;
        self.quantity = outer;
        Ok(())
    }
}

/// Serialises the elements of a list or a map, or the fields of a struct.
struct NestedValues<'w, 'v> {
    walker: &'w mut Walker<'v>,
    /// Type and variant of a struct or variant; empty for lists and maps.
    owner: [&'static str; 2],
    next_index: usize,
    /// The key of the next value of a map.
    key: String,
}

impl<'w, 'v> NestedValues<'w, 'v> {
    fn new(walker: &'w mut Walker<'v>, owner: [&'static str; 2]) -> Self {
        walker.list.clear();
        Self { walker, owner, next_index: 0, key: String::new() }
    }

    /// Visits the next element of a list.
    fn visit_element<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        let segment = PathSegment::Index(self.next_index);
        self.next_index += 1;
        self.walker.visit_at(segment, value)
    }

    /// Visits the list of the numbers that were its elements, if there are any.
    fn visit_list(self) -> Outcome {
        let Walker { path, quantity, list, visit } = self.walker;
        if let Some(quantity) = quantity
            && !list.is_empty()
        {
            visit(quantity, path, &Visited::List(list));
        }
        list.clear();
        Ok(())
    }
}

/// Methods for values without numbers.
macro_rules! skip {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, _: $type) -> Outcome {
            Ok(())
        })*
    };
}

/// Methods for numbers.
macro_rules! numbers {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, value: $type) -> Outcome {
            self.visit_number(value as f64)
        })*
    };
}

impl<'w, 'v> Serializer for &'w mut Walker<'v> {
    type Ok = ();
    type Error = std::fmt::Error;
    type SerializeSeq = NestedValues<'w, 'v>;
    type SerializeTuple = NestedValues<'w, 'v>;
    type SerializeTupleStruct = NestedValues<'w, 'v>;
    type SerializeTupleVariant = Impossible<(), std::fmt::Error>;
    type SerializeMap = NestedValues<'w, 'v>;
    type SerializeStruct = NestedValues<'w, 'v>;
    type SerializeStructVariant = NestedValues<'w, 'v>;

    skip! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str),
    }

    numbers! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_u8(u8),
        serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_f32(f32), serialize_f64(f64),
    }

    fn serialize_none(self) -> Outcome {
        Ok(())
    }

    fn serialize_unit(self) -> Outcome {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Outcome {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Outcome {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(
        self,
        _: &'static str,
        value: &T,
    ) -> Outcome {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Outcome {
        self.visit_field([name, variant], "0", PathSegment::Index(0), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Nested<'w, 'v> {
        Ok(NestedValues::new(self, [""; 2]))
    }

    fn serialize_tuple(self, _: usize) -> Nested<'w, 'v> {
        Ok(NestedValues::new(self, [""; 2]))
    }

    fn serialize_tuple_struct(self, _: &'static str, _: usize) -> Nested<'w, 'v> {
        Ok(NestedValues::new(self, [""; 2]))
    }

    fn serialize_tuple_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<Self::SerializeTupleVariant, Self::Error> {
        Err(Self::Error::custom(format_args!("{name}::{variant} has several unnamed fields")))
    }

    fn serialize_map(self, _: Option<usize>) -> Nested<'w, 'v> {
        Ok(NestedValues::new(self, [""; 2]))
    }

    fn serialize_struct(self, name: &'static str, _: usize) -> Nested<'w, 'v> {
        Ok(NestedValues::new(self, [name, ""]))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Nested<'w, 'v> {
        Ok(NestedValues::new(self, [name, variant]))
    }
}

/// Implementations for sequences, whose elements have no names.
macro_rules! sequences {
    ($($trait:ident: $method:ident),* $(,)?) => {
        $(impl $trait for NestedValues<'_, '_> {
            type Ok = ();
            type Error = std::fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
                self.visit_element(value)
            }

            fn end(self) -> Outcome {
                self.visit_list()
            }
        })*
    };
}

sequences! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
}

/// Implementations for structs and variants with named fields.
macro_rules! structs {
    ($($trait:ident),* $(,)?) => {
        $(impl $trait for NestedValues<'_, '_> {
            type Ok = ();
            type Error = std::fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Outcome {
                self.walker.visit_field(self.owner, name, PathSegment::Field(name), value)
            }

            fn end(self) -> Outcome {
                Ok(())
            }
        })*
    };
}

structs!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for NestedValues<'_, '_> {
    type Ok = ();
    type Error = std::fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Outcome {
        let key = serde_json::to_value(key).map_err(Self::Error::custom)?;
        self.key = key.as_str().unwrap_or_default().to_owned();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Outcome {
        let key = std::mem::take(&mut self.key);
        self.walker.visit_at(PathSegment::Key(key), value)
    }

    fn end(self) -> Outcome {
        Ok(())
    }
}
