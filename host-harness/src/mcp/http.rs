//! Streamable HTTP at `/mcp`. What the library does not judge is judged before it is asked: the token, the raw message
//! and whose session it is. `Origin` and `Host` are judged by the library.

use std::net::SocketAddr;
use std::sync::Arc;

use axum::Router;
use axum::body::{Body, to_bytes};
use axum::extract::{Request, State};
use axum::http::{HeaderMap, HeaderName, Method, StatusCode, Uri, header};
use axum::response::{IntoResponse, Response};
use axum::routing::{any, get};
use rmcp::ServerHandler;
use rmcp::transport::streamable_http_server::session::local::LocalSessionManager;
use rmcp::transport::{StreamableHttpServerConfig, StreamableHttpService};
use serde_json::json;
use tokio::net::TcpListener;
use tokio_util::sync::CancellationToken;

use super::envelope::{self, Admitted, Rejected};
use super::limits::{MESSAGE_BYTES, STOPPING_TIME};
use super::pages;
use super::running::name;
use super::sessions::{self, Owners};
use crate::identity::{Credentials, Denied, SCOPES, TokenRules, Tokens};
use crate::tools::Scopes;

/// Where the tools are.
pub const PATH: &str = "/mcp";

/// Where a client reads who issues tokens (RFC 9728), also with [`PATH`] behind it.
pub const METADATA_PATH: &str = "/.well-known/oauth-protected-resource";

const SESSION: HeaderName = HeaderName::from_static("mcp-session-id");

/// Who may reach the server by which names.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Reach {
    /// Names or `name:port` that `Host` may say besides loopback's.
    pub hosts: Vec<String>,
    /// Origins (`https://app.example.com`) whose pages may call; none by default.
    pub origins: Vec<String>,
}

/// What a server judges a request by before the library sees it.
struct Gate<H: ServerHandler> {
    library: StreamableHttpService<H, LocalSessionManager>,
    sessions: Arc<LocalSessionManager>,
    owners: Owners,
    tokens: Option<Tokens>,
}

/// Serves until `stop` is cancelled; the library's sessions and streams end then. `before` is awaited first, with the
/// sockets still open, so that calls in flight can report.
///
/// `tokens` is none only for handlers that no identity is needed for.
///
/// # Errors
/// The listener failed.
pub async fn serve<H: ServerHandler + Clone + Sync>(
    listener: TcpListener,
    handler: H,
    tokens: Option<Tokens>,
    reach: Reach,
    stop: impl Future<Output = ()> + Send + 'static,
) -> std::io::Result<()> {
    let ended = CancellationToken::new();
    let router = router(listener.local_addr()?, handler, tokens, reach, ended.clone());
    let until = ended.clone();
    let served = axum::serve(listener, router).with_graceful_shutdown(async move {
        stop.await;
        ended.cancel();
    });
    tokio::select! {
        result = served => result,
        // A client that keeps its connection open is not waited for.
        () = async { until.cancelled().await; tokio::time::sleep(STOPPING_TIME).await } => Ok(()),
    }
}

fn router<H: ServerHandler + Clone + Sync>(
    address: SocketAddr,
    handler: H,
    tokens: Option<Tokens>,
    reach: Reach,
    ended: CancellationToken,
) -> Router {
    let loopback = ["localhost", "127.0.0.1", "::1"].map(str::to_owned);
    let hosts = loopback.into_iter().chain([address.ip().to_string()]).chain(reach.hosts);
    let config = StreamableHttpServerConfig::default()
        .with_allowed_hosts(hosts)
        .with_allowed_origins(reach.origins.clone())
        .enforce_origin_validation()
        .with_max_request_body_bytes(MESSAGE_BYTES)
        .with_cancellation_token(ended);
    let sessions = Arc::new(sessions::manager());
    let library = StreamableHttpService::new(move || Ok(handler.clone()), sessions.clone(), config);
    let gate = Arc::new(Gate { library, sessions, owners: Owners::default(), tokens });
    let metadata = get(metadata::<H>);
    let router = Router::new()
        .route(PATH, any(enter::<H>))
        .route(METADATA_PATH, metadata.clone())
        .route(&format!("{METADATA_PATH}{PATH}"), metadata)
        .with_state(gate);
    match reach.origins.is_empty() {
        true => router,
        false => router.layer(pages::layer(reach.origins, SESSION)),
    }
}

async fn metadata<H: ServerHandler + Clone + Sync>(State(gate): State<Arc<Gate<H>>>) -> Response {
    let Some(tokens) = &gate.tokens else { return StatusCode::NOT_FOUND.into_response() };
    let rules = tokens.rules();
    let metadata = json!({
        "resource": rules.audience,
        "authorization_servers": [rules.issuer],
        "scopes_supported": SCOPES.split(' ').collect::<Vec<_>>(),
        "bearer_methods_supported": ["header"],
        "resource_name": "deletegate",
    });
    ([(header::CONTENT_TYPE, "application/json")], metadata.to_string()).into_response()
}

async fn enter<H: ServerHandler + Clone + Sync>(State(gate): State<Arc<Gate<H>>>, request: Request) -> Response {
    let (mut parts, mut body) = request.into_parts();
    let credentials = match &gate.tokens {
        None => None,
        Some(tokens) => match credentials(tokens, &parts.headers) {
            Ok(credentials) => Some(credentials),
            Err(denied) => return unauthorized(tokens.rules(), denied),
        },
    };
    let caller = credentials.as_ref().map(|credentials| name(&credentials.caller)).unwrap_or_default();
    // An id that is no text is no session's; the library says so.
    if let Some(session) = parts.headers.get(&SESSION).and_then(|id| id.to_str().ok())
        && !gate.owners.admits(session, &caller)
    {
        return (StatusCode::NOT_FOUND, "Not Found: there is no such session; initialize a new one").into_response();
    }
    if parts.method == Method::POST {
        let Ok(bytes) = to_bytes(body, MESSAGE_BYTES).await else {
            return rejected(StatusCode::PAYLOAD_TOO_LARGE, &Rejected::too_long(MESSAGE_BYTES));
        };
        let Admitted { message, method } = match envelope::admit(&bytes) {
            Ok(admitted) => admitted,
            Err(why) => return rejected(StatusCode::BAD_REQUEST, &why),
        };
        if let (Some(tokens), Some(credentials), Some("tools/call")) = (&gate.tokens, &credentials, method.as_deref())
            && !credentials.scopes.contains(Scopes::DATA_READ | Scopes::DATA_WRITE)
        {
            return insufficient(tokens.rules());
        }
        parts.headers.insert(header::CONTENT_LENGTH, message.len().into());
        parts.headers.remove(header::TRANSFER_ENCODING);
        body = Body::from(message);
    }
    if let Some(credentials) = credentials {
        parts.extensions.insert(credentials);
    }
    let response = gate.library.handle(Request::from_parts(parts, body)).await;
    if let Some(session) = response.headers().get(&SESSION).and_then(|id| id.to_str().ok())
        && !gate.owners.admits(session, &caller)
    {
        gate.owners.began(session, &caller, &gate.sessions).await;
    }
    response.map(Body::new)
}

fn credentials(tokens: &Tokens, headers: &HeaderMap) -> Result<Credentials, Denied> {
    tokens.read(headers.get_all(header::AUTHORIZATION).iter().map(|value| value.as_bytes()))
}

fn rejected(status: StatusCode, why: &Rejected) -> Response {
    (status, [(header::CONTENT_TYPE, "application/json")], why.response()).into_response()
}

fn unauthorized(rules: &TokenRules, denied: Denied) -> Response {
    let (error, sentence) = match denied {
        Denied::Missing => (String::new(), "A bearer token is needed"),
        Denied::Invalid(why) => (format!("error=\"invalid_token\", error_description=\"{why}\", "), why),
    };
    challenge(StatusCode::UNAUTHORIZED, rules, &error, sentence)
}

fn insufficient(rules: &TokenRules) -> Response {
    let error = "error=\"insufficient_scope\", ";
    challenge(StatusCode::FORBIDDEN, rules, error, &format!("INSUFFICIENT_SCOPE: a call needs the scopes {SCOPES}"))
}

/// RFC 6750, section 3, with the address of the metadata (RFC 9728, section 5.1).
fn challenge(status: StatusCode, rules: &TokenRules, error: &str, sentence: &str) -> Response {
    let mut value = format!("Bearer {error}scope=\"{SCOPES}\"");
    // The audience is the server's address, as its clients see it, or a name: then they have to know where to look.
    if let Ok(uri) = Uri::try_from(&rules.audience)
        && let (Some(scheme), Some(authority)) = (uri.scheme_str(), uri.authority())
        && scheme.starts_with("http")
    {
        let path = uri.path().trim_end_matches('/');
        value.push_str(&format!(", resource_metadata=\"{scheme}://{authority}{METADATA_PATH}{path}\""));
    }
    (status, [(header::WWW_AUTHENTICATE, value)], format!("{sentence}; nothing was done.")).into_response()
}
