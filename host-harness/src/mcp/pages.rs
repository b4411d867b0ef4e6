//! Web pages: what a browser must be told before it lets a page of an allowed origin call, and read the answer (CORS).
//!
//! Whether the call of a page is let in is judged where it comes in; a browser only keeps its own pages to it.

use axum::http::{HeaderName, Method, Uri, header};
use tower_http::cors::{AllowHeaders, AllowOrigin, CorsLayer};

/// What goes around every answer for pages of these origins.
pub(super) fn layer(origins: Vec<String>, exposed: HeaderName) -> CorsLayer {
    let origins: Vec<Uri> = origins.iter().filter_map(|origin| origin.parse().ok()).collect();
    let allowed = AllowOrigin::predicate(move |origin, _| {
        let origin = origin.to_str().ok().and_then(|origin| origin.parse::<Uri>().ok());
        origin.is_some_and(|origin| origins.iter().any(|allowed| same(allowed, &origin)))
    });
    CorsLayer::new()
        .allow_origin(allowed)
        .allow_methods([Method::GET, Method::POST, Method::DELETE])
        // A client of a later revision sends headers of its own, and none of them lets anybody in.
        .allow_headers(AllowHeaders::mirror_request())
        .expose_headers([exposed, header::WWW_AUTHENTICATE])
}

/// A browser leaves out the port that its scheme stands for, and a configuration may say it.
fn same(allowed: &Uri, origin: &Uri) -> bool {
    let parts = |uri: &Uri| {
        let port = uri.port_u16().or(match uri.scheme_str() {
            Some("http") => Some(80),
            Some("https") => Some(443),
            _ => None,
        });
        Some((uri.scheme_str()?.to_ascii_lowercase(), uri.host()?.to_ascii_lowercase(), port))
    };
    parts(allowed).is_some_and(|allowed| Some(allowed) == parts(origin))
}
