//! Laws of pictures and films.

mod films;
mod pictures;
mod support;
