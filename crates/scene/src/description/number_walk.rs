//! Visits the numbers of a scene with the fields that hold them.
//!
//! The walk is a serialiser that writes nothing: names of types and fields are those of serde's derived code, so a new
//! field is visited without further code.

use super::quantity::{Quantity, quantity_within};
use serde::Serialize;
use serde::ser::{
    Error as _, Impossible, SerializeMap, SerializeSeq, SerializeStruct, SerializeStructVariant,
    SerializeTuple, SerializeTupleStruct, Serializer,
};
use std::fmt::{Display, Write as _};

/// A number, or an innermost list of numbers, of a field that has a [`Quantity`].
pub(super) enum Visited<'a> {
    /// A number; in a list, before the list.
    Number {
        /// Its place in the list.
        index: Option<usize>,
        value: f64,
    },
    /// All numbers of a list.
    List(&'a [f64]),
}

/// The function that a walk calls, with a path such as `bodies[2].shape.size[0]`.
type Visit<'v> = dyn FnMut(&'static Quantity, &dyn Display, &Visited<'_>) + 'v;

/// Visits the numbers of a value in the order of its fields.
pub(super) fn walk(value: &impl Serialize, visit: &mut Visit<'_>) {
    let (path, list) = (Path::default(), Vec::new());
    let done = value.serialize(&mut Walker { path, quantity: None, list, visit });
    debug_assert!(done.is_ok(), "{done:?}");
}

#[derive(Debug, Clone)]
enum Part {
    Field(&'static str),
    Key(String),
    Index(usize),
}

#[derive(Debug, Default)]
struct Path(Vec<Part>);

impl Display for Path {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        for (number, part) in self.0.iter().enumerate() {
            if number > 0 && !matches!(part, Part::Index(_)) {
                f.write_char('.')?;
            }
            match part {
                Part::Field(name) => f.write_str(name)?,
                Part::Key(name) => f.write_str(name)?,
                Part::Index(index) => write!(f, "[{index}]")?,
            }
        }
        Ok(())
    }
}

struct Walker<'v> {
    path: Path,
    /// Quantity of the field whose value is visited.
    quantity: Option<&'static Quantity>,
    /// Numbers of the innermost list so far.
    list: Vec<f64>,
    visit: &'v mut Visit<'v>,
}

type Done = Result<(), std::fmt::Error>;

impl Walker<'_> {
    fn number(&mut self, value: f64) -> Done {
        let index = match self.path.0.last() {
            Some(&Part::Index(index)) => Some(index),
            _ => None,
        };
        self.list.push(value);
        if let Some(quantity) = self.quantity {
            (self.visit)(quantity, &self.path, &Visited::Number { index, value });
        }
        Ok(())
    }

    fn inside<T: Serialize + ?Sized>(&mut self, part: Part, value: &T) -> Done {
        self.path.0.push(part);
        value.serialize(&mut *self)?;
        self.path.0.pop();
        Ok(())
    }

    /// The value of a field of a struct or an alternative.
    fn field<T: Serialize + ?Sized>(
        &mut self,
        owner: [&'static str; 2],
        name: &'static str,
        part: Part,
        value: &T,
    ) -> Done {
        let quantity = quantity_within(self.quantity, owner, name);
        let outer = std::mem::replace(&mut self.quantity, quantity);
        self.inside(part, value)?;
        self.quantity = outer;
        Ok(())
    }
}

/// The elements of a list or a map, or the fields of a struct.
struct NestedValues<'w, 'v> {
    walker: &'w mut Walker<'v>,
    owner: [&'static str; 2],
    next: usize,
    key: String,
}

impl<'w, 'v> NestedValues<'w, 'v> {
    fn new(walker: &'w mut Walker<'v>, owner: [&'static str; 2]) -> Self {
        walker.list.clear();
        Self { walker, owner, next: 0, key: String::new() }
    }

    fn element<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        let part = Part::Index(self.next);
        self.next += 1;
        self.walker.inside(part, value)
    }

    fn end_list(self) -> Done {
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

/// Values that hold no number.
macro_rules! nothing {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, _: $type) -> Done {
            Ok(())
        })*
    };
}

/// Numbers.
macro_rules! numbers {
    ($($method:ident($type:ty)),* $(,)?) => {
        $(fn $method(self, value: $type) -> Done {
            self.number(value as f64)
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

    nothing! {
        serialize_bool(bool), serialize_char(char), serialize_str(&str), serialize_bytes(&[u8]),
        serialize_unit_struct(&'static str),
    }

    numbers! {
        serialize_i8(i8), serialize_i16(i16), serialize_i32(i32), serialize_i64(i64), serialize_u8(u8),
        serialize_u16(u16), serialize_u32(u32), serialize_u64(u64), serialize_f32(f32), serialize_f64(f64),
    }

    fn serialize_none(self) -> Done {
        Ok(())
    }

    fn serialize_unit(self) -> Done {
        Ok(())
    }

    fn serialize_some<T: Serialize + ?Sized>(self, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_unit_variant(self, _: &'static str, _: u32, _: &'static str) -> Done {
        Ok(())
    }

    fn serialize_newtype_struct<T: Serialize + ?Sized>(self, _: &'static str, value: &T) -> Done {
        value.serialize(self)
    }

    fn serialize_newtype_variant<T: Serialize + ?Sized>(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        value: &T,
    ) -> Done {
        self.field([name, variant], "0", Part::Index(0), value)
    }

    fn serialize_seq(self, _: Option<usize>) -> Result<NestedValues<'w, 'v>, Self::Error> {
        Ok(NestedValues::new(self, [""; 2]))
    }

    fn serialize_tuple(self, _: usize) -> Result<NestedValues<'w, 'v>, Self::Error> {
        Ok(NestedValues::new(self, [""; 2]))
    }

    fn serialize_tuple_struct(
        self,
        _: &'static str,
        _: usize,
    ) -> Result<NestedValues<'w, 'v>, Self::Error> {
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

    fn serialize_map(self, _: Option<usize>) -> Result<NestedValues<'w, 'v>, Self::Error> {
        Ok(NestedValues::new(self, [""; 2]))
    }

    fn serialize_struct(
        self,
        name: &'static str,
        _: usize,
    ) -> Result<NestedValues<'w, 'v>, Self::Error> {
        Ok(NestedValues::new(self, [name, ""]))
    }

    fn serialize_struct_variant(
        self,
        name: &'static str,
        _: u32,
        variant: &'static str,
        _: usize,
    ) -> Result<NestedValues<'w, 'v>, Self::Error> {
        Ok(NestedValues::new(self, [name, variant]))
    }
}

/// Elements without names.
macro_rules! elements {
    ($($of:ident: $method:ident),* $(,)?) => {
        $(impl $of for NestedValues<'_, '_> {
            type Ok = ();
            type Error = std::fmt::Error;

            fn $method<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
                self.element(value)
            }

            fn end(self) -> Done {
                self.end_list()
            }
        })*
    };
}

elements! {
    SerializeSeq: serialize_element,
    SerializeTuple: serialize_element,
    SerializeTupleStruct: serialize_field,
}

/// Fields of structs and of alternatives.
macro_rules! fields {
    ($($of:ident),* $(,)?) => {
        $(impl $of for NestedValues<'_, '_> {
            type Ok = ();
            type Error = std::fmt::Error;

            fn serialize_field<T: Serialize + ?Sized>(
                &mut self,
                name: &'static str,
                value: &T,
            ) -> Done {
                self.walker.field(self.owner, name, Part::Field(name), value)
            }

            fn end(self) -> Done {
                Ok(())
            }
        })*
    };
}

fields!(SerializeStruct, SerializeStructVariant);

impl SerializeMap for NestedValues<'_, '_> {
    type Ok = ();
    type Error = std::fmt::Error;

    fn serialize_key<T: Serialize + ?Sized>(&mut self, key: &T) -> Done {
        let key = serde_json::to_value(key).map_err(Self::Error::custom)?;
        self.key = key.as_str().unwrap_or_default().to_owned();
        Ok(())
    }

    fn serialize_value<T: Serialize + ?Sized>(&mut self, value: &T) -> Done {
        let key = std::mem::take(&mut self.key);
        self.walker.inside(Part::Key(key), value)
    }

    fn end(self) -> Done {
        Ok(())
    }
}
