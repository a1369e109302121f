//! Requests to the servers of pages.

use resile_view::{Command, Request};
use std::net::{Ipv4Addr, SocketAddr};

/// A request, and a command sent along or alone.
pub fn http(data: &[u8]) {
    command(data);
    let address = SocketAddr::from((Ipv4Addr::LOCALHOST, 8080));
    match Request::read(&mut &*data) {
        Ok(request) => {
            let (method, target) = request.request_line();
            assert!(!method.is_empty() && !target.is_empty());
            assert!(request.body().len() <= 4096 && data.len() > request.body().len());
            let host = request.header("host").unwrap_or_default().to_owned();
            assert!(!request.is_for(address) || host.ends_with(":8080"));
            let _ = request.is_same_origin(address);
            command(request.body());
        }
        Err(error) => assert!(!error.to_string().is_empty()),
    }
}

fn command(json: &[u8]) {
    if let Some(Command::Pull { place, .. }) = Command::parse(json) {
        assert!(place.iter().all(|x| x.is_finite()));
    }
}
