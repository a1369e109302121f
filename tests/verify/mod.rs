//! The check of frames against frames that are made up, so that what it has to find is known.

mod contract;
mod crossings;
mod damage;
mod motions;
mod passages;
mod rods;
mod runs;
mod soup;
mod support;
mod sweeps;
