//! HTTP/1.1 for browsers on the same machine: bounded requests, responses, and connections.

mod answer;
mod connections;
mod deadline;
mod request;

pub(crate) use answer::Answer;
pub(crate) use connections::{Connection, Connections, Service};
pub use request::{Request, RequestError};
