//! Laws of the mesher, in one program so that they link once.

mod creases;
mod crossings;
mod implicit;
mod masses;
mod signed_distance;
mod stuffing;
mod support;
mod thin;
mod watched;
