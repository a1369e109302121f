//! HTTP/1.1 for browsers on the same machine: requests within bounds, answers, and the connections
//! that carry them.

mod answer;
mod connections;
mod deadline;
mod request;

pub(crate) use answer::Answer;
pub(crate) use connections::{Connection, Connections, Service};
pub use request::{Request, RequestError};
