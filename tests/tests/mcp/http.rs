//! Who may call over HTTP, from where, and on whose session.

use std::time::{Duration, SystemTime, UNIX_EPOCH};

use jsonwebtoken::{Algorithm, EncodingKey, Header, encode, get_current_timestamp};
use serde_json::{Value, json};

use super::place::{Http, Place};
use super::raw::{Response, call, meta, post, send};

const SECRET: &[u8] = b"a shared secret of at least 32 bytes";

/// A call that deletes note 1, where it is let through.
fn deletion() -> String {
    call(r#"{"objectName":"note","recordIds":[1],"confirm":true}"#, "", json!({}))
}

fn list() -> String {
    json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/list", "params": { "_meta": meta(json!({})) } }).to_string()
}

/// Posts with these headers besides those that MCP wants.
fn with(server: &Http, headers: &[(&str, &str)], body: &str) -> Response {
    let message: Value = serde_json::from_str(body).unwrap();
    let method = message["method"].as_str().unwrap_or_default();
    let mut all = vec![
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("MCP-Protocol-Version", "2026-07-28"),
        ("Mcp-Method", method),
    ];
    if method == "tools/call" {
        all.push(("Mcp-Name", "delete_records"));
    }
    all.extend_from_slice(headers);
    send(&server.address, "POST", "/mcp", &all, body.as_bytes())
}

fn claims() -> Value {
    json!({ "iss": "https://id.example", "aud": "https://deletegate.example/mcp", "sub": "ana",
        "exp": get_current_timestamp() + 600, "scope": "openid data:read data:write" })
}

fn signed(claims: &Value) -> String {
    let token = encode(&Header::default(), claims, &EncodingKey::from_secret(SECRET).unwrap()).unwrap();
    format!("Bearer {token}")
}

#[test]
fn a_token_that_does_not_count_is_nobody_s() {
    let place = Place::new();
    let server = place.http();
    let but = |name: &str, value: Value| {
        let mut claims = claims();
        match value {
            Value::Null => drop(claims.as_object_mut().unwrap().remove(name)),
            value => claims[name] = value,
        }
        signed(&claims)
    };
    let other_key = encode(&Header::default(), &claims(), &EncodingKey::from_secret(&[7; 40]).unwrap()).unwrap();
    let header = |text: &str| text.bytes().map(|byte| byte as char).collect::<String>();
    let base64 = |json: &str| header(&base64_url(json.as_bytes()));
    let unsigned = format!("Bearer {}.{}.", base64(r#"{"alg":"none","typ":"JWT"}"#), base64(&claims().to_string()));
    let now = get_current_timestamp();
    let denied = [
        ("nothing", String::new()),
        ("basic", "Basic YW5hOng=".to_owned()),
        ("no token", "Bearer ".to_owned()),
        ("no JWT", "Bearer abc".to_owned()),
        ("another key", format!("Bearer {other_key}")),
        ("unsigned", unsigned),
        ("expired", but("exp", json!(now - 3600))),
        ("without an end", but("exp", Value::Null)),
        ("not yet", but("nbf", json!(now + 3600))),
        ("another issuer", but("iss", json!("https://evil.example"))),
        ("no issuer", but("iss", Value::Null)),
        ("another audience", but("aud", json!("https://other.example/mcp"))),
        ("no audience", but("aud", Value::Null)),
        ("no subject", but("sub", Value::Null)),
        ("empty subject", but("sub", json!(""))),
        ("blank subject", but("sub", json!("   "))),
        ("null", but("sub", json!("null"))),
        ("undefined", but("sub", json!("undefined"))),
        ("a number", but("sub", json!(7))),
    ];
    for (what, authorization) in &denied {
        let headers = [("Authorization", authorization.as_str())];
        let headers = if authorization.is_empty() { &[][..] } else { &headers };
        for body in [deletion(), list()] {
            let response = with(&server, headers, &body);
            assert_eq!(response.status, 401, "{what}: {response:?}");
            let challenge = response.head.to_ascii_lowercase();
            assert!(challenge.contains("www-authenticate: bearer "), "{what}: {challenge}");
            let metadata = "https://deletegate.example/.well-known/oauth-protected-resource/mcp";
            assert!(challenge.contains(&format!("resource_metadata=\"{metadata}\"")), "{what}: {challenge}");
        }
    }
    let twice = [("Authorization", signed(&claims())), ("Authorization", signed(&claims()))];
    let twice = twice.each_ref().map(|(name, value)| (*name, value.as_str()));
    assert_eq!(with(&server, &twice, &deletion()).status, 401);
    assert_eq!(place.gone("note"), 0);

    // `0` is an id like any other, and one of several audiences is enough.
    let zero = but("sub", json!("0"));
    assert_eq!(with(&server, &[("Authorization", &zero)], &deletion()).answer()["deleted"], 1);
    let audiences = but("aud", json!(["x", "https://deletegate.example/mcp"]));
    assert_eq!(with(&server, &[("Authorization", &audiences)], &deletion()).answer()["notFound"], json!(["1"]));
}

#[test]
fn scopes_decide_what_is_listed_and_called() {
    let place = Place::new();
    let server = place.http();
    for (scopes, listed) in [("data:read data:write", true), ("data:read", false), ("data:write", false), ("", false)] {
        let mut claims = claims();
        claims["scope"] = scopes.into();
        let authorization = signed(&claims);
        let headers = [("Authorization", authorization.as_str())];
        let tools = with(&server, &headers, &list()).message()["result"]["tools"].clone();
        assert_eq!(!tools.as_array().unwrap().is_empty(), listed, "{scopes:?}: {tools}");
        let response = with(&server, &headers, &deletion());
        assert_eq!(response.status, if listed { 200 } else { 403 }, "{scopes:?}");
        assert_eq!(response.head.contains("error=\"insufficient_scope\""), !listed, "{}", response.head);
    }
    assert_eq!(place.gone("note"), 1);
}

#[test]
fn a_jwks_decides_which_keys_count_and_is_read_again() {
    let place = Place::new();
    let key = |bits: &str| {
        let pem = place.path(&format!("{bits}.pem"));
        let made = std::process::Command::new("openssl")
            .args(["genpkey", "-algorithm", "EC", "-pkeyopt", "ec_paramgen_curve:P-256", "-out"])
            .arg(&pem)
            .output()
            .unwrap();
        assert!(made.status.success());
        EncodingKey::from_ec_pem(&std::fs::read(pem).unwrap()).unwrap()
    };
    let (old, new) = (key("old"), key("new"));
    let publish = |kid: &str, key: &EncodingKey| {
        let mut jwk = jsonwebtoken::jwk::Jwk::from_encoding_key(key, Algorithm::ES256).unwrap();
        jwk.common.key_id = Some(kid.to_owned());
        // A symmetric key in a public set would let whoever reads the set sign.
        let shared = json!({ "kty": "oct", "kid": "shared", "alg": "HS256", "k": base64_url(SECRET) });
        std::fs::write(place.path("jwks.json"), json!({ "keys": [jwk, shared] }).to_string()).unwrap();
    };
    publish("one", &old);
    let config = std::fs::read_to_string(place.path("crm.toml")).unwrap();
    std::fs::write(place.path("crm.toml"), config.replace("secret = \"token.secret\"", "jwks = \"jwks.json\""))
        .unwrap();
    let server = place.http();
    let status = |kid: Option<&str>, key: &EncodingKey, algorithm: Algorithm| {
        let header = Header { kid: kid.map(str::to_owned), ..Header::new(algorithm) };
        let authorization = format!("Bearer {}", encode(&header, &claims(), key).unwrap());
        with(&server, &[("Authorization", &authorization)], &list()).status
    };
    assert_eq!(status(Some("one"), &old, Algorithm::ES256), 200);
    assert_eq!(status(None, &old, Algorithm::ES256), 200);
    assert_eq!(status(Some("two"), &old, Algorithm::ES256), 401);
    assert_eq!(status(Some("one"), &new, Algorithm::ES256), 401);
    let shared = EncodingKey::from_secret(SECRET).unwrap();
    assert_eq!(status(Some("shared"), &shared, Algorithm::HS256), 401);
    assert_eq!(status(Some("one"), &shared, Algorithm::HS256), 401);

    publish("two", &new);
    let later = SystemTime::now() + Duration::from_secs(5);
    std::fs::File::options().append(true).open(place.path("jwks.json")).unwrap().set_modified(later).unwrap();
    assert_eq!(status(Some("two"), &new, Algorithm::ES256), 200);
    assert_eq!(status(Some("one"), &old, Algorithm::ES256), 401);
    // While the file is being replaced, the keys that were good are good.
    std::fs::write(place.path("jwks.json"), "{").unwrap();
    assert_eq!(status(Some("two"), &new, Algorithm::ES256), 200);
    assert!(later > UNIX_EPOCH);
}

#[test]
fn the_metadata_says_who_issues_tokens() {
    let place = Place::new();
    let server = place.http();
    for path in ["/.well-known/oauth-protected-resource", "/.well-known/oauth-protected-resource/mcp"] {
        let metadata = send(&server.address, "GET", path, &[], b"").message();
        assert_eq!(metadata["resource"], "https://deletegate.example/mcp");
        assert_eq!(metadata["authorization_servers"], json!(["https://id.example"]));
        assert_eq!(metadata["scopes_supported"], json!(["data:read", "data:write"]));
    }
}

/// B43.
#[test]
fn a_web_page_cannot_call() {
    let place = Place::with("allowed-origins = [\"https://app.example:443\"]\nallowed-hosts = [\"db.example\"]");
    let server = place.http();
    let authorization = signed(&claims());
    let port = server.address.rsplit(':').next().unwrap();
    let rebound = format!("rebind.example:{port}");
    for header in [
        ("Origin", "http://evil.example"),
        ("Origin", "null"),
        ("Origin", "http://localhost.evil.example"),
        ("Origin", "http://localhost"),
        ("Origin", "http://app.example:443"),
        ("Host", rebound.as_str()),
        ("Host", "localhost.evil.example"),
    ] {
        let response = with(&server, &[("Authorization", &authorization), header], &deletion());
        assert_eq!(response.status, 403, "{header:?}: {response:?}");
    }
    assert_eq!(place.gone("note"), 0);
    for header in
        [("Origin", "https://app.example"), ("Host", "db.example"), ("Host", "localhost:1"), ("Accept-Language", "de")]
    {
        let response = with(&server, &[("Authorization", &authorization), header], &deletion());
        assert_eq!(response.status, 200, "{header:?}: {response:?}");
    }
    assert_eq!(place.gone("note"), 1);
}

/// What a browser asks for before it lets a page call, and before it lets it read what came.
#[test]
fn a_page_of_an_allowed_origin_can_call_and_read() {
    let place = Place::with("allowed-origins = [\"https://app.example:443\", \"http://localhost:5173\"]");
    let server = place.http();
    let asks = |origin: &str| {
        let headers = [
            ("Origin", origin),
            ("Access-Control-Request-Method", "POST"),
            ("Access-Control-Request-Headers", "authorization,content-type,mcp-method,mcp-name,mcp-protocol-version"),
        ];
        send(&server.address, "OPTIONS", "/mcp", &headers, b"")
    };
    let authorization = signed(&claims());
    for origin in ["https://app.example", "http://localhost:5173"] {
        let response = asks(origin);
        let head = response.head.to_ascii_lowercase();
        assert_eq!(response.status, 200, "{response:?}");
        assert!(head.contains(&format!("access-control-allow-origin: {origin}\r\n")), "{head}");
        assert!(head.contains("access-control-allow-methods: get,post,delete\r\n"), "{head}");
        assert!(head.contains("access-control-allow-headers: authorization,content-type,mcp-method,"), "{head}");
        assert!(!head.contains("access-control-allow-credentials"), "{head}");
        // Refused for want of a token, too: a page can read why.
        for (authorization, status) in [(authorization.as_str(), 200), ("Bearer x", 401)] {
            let response = with(&server, &[("Authorization", authorization), ("Origin", origin)], &deletion());
            let head = response.head.to_ascii_lowercase();
            assert_eq!(response.status, status, "{response:?}");
            assert!(head.contains(&format!("access-control-allow-origin: {origin}\r\n")), "{head}");
            assert!(head.contains("access-control-expose-headers: mcp-session-id,www-authenticate\r\n"), "{head}");
        }
    }
    assert_eq!(place.gone("note"), 1);
    for origin in ["https://app.example:444", "http://app.example", "https://app.example.evil.example", "null", "é"] {
        let response = asks(origin);
        assert!(!response.head.to_ascii_lowercase().contains("access-control-allow-origin"), "{origin}: {response:?}");
    }
    // Where no page may call, nothing is said about pages.
    let server = Place::new().http();
    let response = send(&server.address, "OPTIONS", "/mcp", &[("Origin", "http://localhost:5173")], b"");
    assert!(!response.head.to_ascii_lowercase().contains("access-control"), "{response:?}");
    assert_eq!(response.status, 401, "{response:?}");
}

/// Nor can any where none is named: not even one of this machine's.
#[test]
fn by_default_no_origin_is_let_in() {
    let place = Place::new();
    let server = place.http();
    let authorization = signed(&claims());
    let own = format!("http://{}", server.address);
    for origin in [own.as_str(), "http://localhost", "http://evil.example", "null"] {
        let response = with(&server, &[("Authorization", &authorization), ("Origin", origin)], &deletion());
        assert_eq!(response.status, 403, "{origin}: {response:?}");
    }
    assert_eq!(place.gone("note"), 0);
}

/// A session of an older revision, and a message on it.
pub struct Session<'a> {
    pub server: &'a Http,
    pub id: String,
}

impl<'a> Session<'a> {
    pub fn begin(server: &'a Http, authorization: &str) -> Session<'a> {
        let params = json!({ "protocolVersion": "2025-11-25", "capabilities": { "elicitation": {} },
            "clientInfo": { "name": "raw", "version": "1" } });
        let body = json!({ "jsonrpc": "2.0", "id": 0, "method": "initialize", "params": params }).to_string();
        let mut session = Session { server, id: String::new() };
        let response = session.post(authorization, &body);
        assert_eq!(response.status, 200, "{response:?}");
        let id = response.head.lines().find_map(|line| line.strip_prefix("mcp-session-id: ")).unwrap();
        session.id = id.to_owned();
        let begun = session.post(authorization, r#"{"jsonrpc":"2.0","method":"notifications/initialized"}"#);
        assert_eq!(begun.status, 202, "{begun:?}");
        session
    }

    pub fn post(&self, authorization: &str, body: &str) -> Response {
        let mut headers = vec![
            ("Content-Type", "application/json"),
            ("Accept", "application/json, text/event-stream"),
            ("Authorization", authorization),
        ];
        if !self.id.is_empty() {
            headers.extend([("Mcp-Session-Id", self.id.as_str()), ("MCP-Protocol-Version", "2025-11-25")]);
        }
        send(&self.server.address, "POST", "/mcp", &headers, body.as_bytes())
    }
}

#[test]
fn a_session_is_its_beginner_s_alone() {
    let place = Place::new();
    let server = place.http();
    let ana = signed(&claims());
    let mut claims = claims();
    claims["sub"] = "bo".into();
    let bo = signed(&claims);
    let session = Session::begin(&server, &ana);
    let call = json!({ "jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": { "name": "delete_records",
        "arguments": { "objectName": "note", "recordIds": [1], "confirm": true } } })
    .to_string();
    assert_eq!(session.post(&bo, &call).status, 404);
    assert_eq!(session.post("Bearer x", &call).status, 401);
    let unknown = Session { server: &server, id: "00000000-0000-0000-0000-000000000000".to_owned() };
    assert_eq!(unknown.post(&ana, &call).status, 404);
    let headers = [
        ("Content-Type", "application/json"),
        ("Accept", "application/json, text/event-stream"),
        ("Authorization", ana.as_str()),
        ("MCP-Protocol-Version", "2025-11-25"),
    ];
    assert_eq!(send(&server.address, "POST", "/mcp", &headers, call.as_bytes()).status, 400);
    let other = [&headers[..], &[("Mcp-Session-Id", session.id.as_str())]].concat();
    let bo_s = other.iter().map(|&(name, value)| (name, if name == "Authorization" { bo.as_str() } else { value }));
    assert_eq!(send(&server.address, "DELETE", "/mcp", &bo_s.collect::<Vec<_>>(), b"").status, 404);
    assert_eq!(place.gone("note"), 0);
    assert_eq!(session.post(&ana, &call).answer()["deleted"], 1);
    assert!(send(&server.address, "DELETE", "/mcp", &other, b"").status < 300);
    assert_eq!(session.post(&ana, &call).status, 404);
}

/// The log has one line for a call, and no value of a record.
#[test]
fn a_call_is_one_line_in_the_log() {
    let place = Place::new();
    let server = place.http();
    let token = place.token("ana", "data:read data:write");
    let body = call(r#"{"objectName":"note","where":{"title":"The note 1"},"confirm":true}"#, "", json!({}));
    assert_eq!(post(&server, &token, "delete_records", body.as_bytes()).answer()["deleted"], 1);
    let mut log = String::new();
    for _ in 0..100 {
        log = server.log();
        if !log.is_empty() {
            break;
        }
        std::thread::sleep(Duration::from_millis(50));
    }
    assert_eq!(log.lines().count(), 1, "{log}");
    for part in [r#"actor="ana""#, r#"tool="delete_records""#, r#"object="note""#, "deleted=1", "milliseconds="] {
        assert!(log.contains(part), "{part}: {log}");
    }
    assert!(!log.contains("The note"), "{log}");
}

#[test]
fn sigterm_ends_a_server_over_http() {
    let place = Place::new();
    let mut server = place.http();
    let ana = signed(&claims());
    let _session = Session::begin(&server, &ana);
    server.terminate();
    assert!(server.child.wait().unwrap().success());
}

#[test]
fn without_keys_nothing_is_served() {
    let place = Place::new();
    let config = std::fs::read_to_string(place.path("crm.toml")).unwrap();
    for (change, said) in [
        (("secret = \"token.secret\"", "secret = \"none.secret\""), "none.secret"),
        (("secret = \"token.secret\"", "secret = \"short.secret\""), "32 bytes"),
        (("secret = \"token.secret\"", ""), "`jwks`"),
        (("issuer = \"https://id.example\"\n", ""), "`issuer`"),
        (("[auth]", "[auths]"), "`auth`"),
    ] {
        std::fs::write(place.path("short.secret"), "short").unwrap();
        std::fs::write(place.path("crm.toml"), config.replace(change.0, change.1)).unwrap();
        let output = std::process::Command::new(conformance::clients::program())
            .args(["serve", "--http", "127.0.0.1:0", "--config"])
            .arg(place.path("crm.toml"))
            .output()
            .unwrap();
        assert_eq!(output.status.code(), Some(2));
        assert!(String::from_utf8_lossy(&output.stderr).contains(said), "{said}: {output:?}");
    }
}

/// Base64 as tokens have it.
fn base64_url(bytes: &[u8]) -> String {
    const ALPHABET: &[u8] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let bits = chunk.iter().fold(0_u32, |bits, byte| bits << 8 | u32::from(*byte)) << (8 * (3 - chunk.len()));
        let digits = (0..=chunk.len()).map(|at| ALPHABET[(bits >> (18 - 6 * at) & 63) as usize] as char);
        text.extend(digits);
    }
    text
}
