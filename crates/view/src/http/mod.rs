//! HTTP/1.1 for browsers on the same machine: bounded requests, responses, and connections.

mod connections;
mod deadline;
mod request;
mod response;

pub(crate) use connections::{Connection, Connections, Service};
pub use request::{Request, RequestError};
pub(crate) use response::Response;
