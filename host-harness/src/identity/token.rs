//! Bearer tokens: who is calling over HTTP, as an OAuth 2.1 authorization server says.
//!
//! The server is a resource server only: it checks signed tokens (JWT, RFC 7519 and RFC 9068) against keys that its
//! owner has put in a file, asks nobody, and issues nothing. What it accepts is decided by the key, never by the token:
//! a public key verifies signatures of its own family, so a token can't choose another algorithm.

use std::path::{Path, PathBuf};
use std::sync::Mutex;
use std::time::SystemTime;

use jsonwebtoken::jwk::{AlgorithmParameters, Jwk, JwkSet, PublicKeyUse};
use jsonwebtoken::{DecodingKey, EncodingKey, Header, Validation, decode, decode_header, encode};
use serde_json::{Map, Value, json};

use super::Caller;
use crate::tools::Scopes;

/// The scope that lets a caller read records.
pub const SCOPE_READ: &str = "data:read";

/// The scope that lets a caller change records.
pub const SCOPE_WRITE: &str = "data:write";

/// Both: a tool needs them, as a preview shows ids.
pub const SCOPES: &str = "data:read data:write";

/// A shorter secret can be guessed from one token (RFC 7518, section 3.2).
const SECRET_BYTES: usize = 32;

/// How far the clocks of two honest machines are apart, in seconds.
const LEEWAY: u64 = 30;

/// What the owner decided about tokens.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRules {
    /// `iss`: who issues them.
    pub issuer: String,
    /// `aud`: what this server is called in them; also the `resource` of its metadata.
    pub audience: String,
    /// The claim that holds the user's id, as the rules of the database know it.
    pub actor_claim: String,
    /// What verifies them.
    pub keys: KeySource,
}

/// Where the keys are.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum KeySource {
    /// A JWKS file (RFC 7517) of public keys. It is read again when it changes.
    Jwks(PathBuf),
    /// A file with the shared secret of HS256, HS384 or HS512, at least 32 bytes; a line end at its end is not part of it.
    Secret(PathBuf),
}

/// A caller with what their credentials allow.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Credentials {
    /// Who is calling.
    pub caller: Caller,
    /// What they may do.
    pub scopes: Scopes,
}

/// Why a request is from nobody. The sentence may be shown to whoever sent it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Denied {
    /// It carries no token.
    Missing,
    /// Its token does not count.
    Invalid(&'static str),
}

/// Why tokens can't be checked.
#[derive(Debug, thiserror::Error)]
pub enum TokenError {
    /// The file can't be read.
    #[error("the keys in {} can't be read: {source}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        source: std::io::Error,
    },
    /// The file holds no keys that can be used.
    #[error("{} holds no keys for tokens: {wrong}", path.display())]
    Keys {
        /// The file.
        path: PathBuf,
        /// What is wrong.
        wrong: String,
    },
}

/// Checks bearer tokens.
pub struct Tokens {
    rules: TokenRules,
    keys: Mutex<Keys>,
}

struct Keys {
    /// When the file that they were read from was written.
    written: Option<SystemTime>,
    by_id: Vec<(Option<String>, DecodingKey)>,
}

impl Tokens {
    /// Reads the keys.
    ///
    /// # Errors
    /// The file can't be read, or holds no key that can be used.
    pub fn open(rules: TokenRules) -> Result<Tokens, TokenError> {
        let keys = Mutex::new(Keys::read(&rules.keys)?);
        Ok(Tokens { rules, keys })
    }

    /// What tokens have to say.
    pub fn rules(&self) -> &TokenRules {
        &self.rules
    }

    /// Who sent a request, by the values of its `Authorization` headers.
    ///
    /// # Errors
    /// There is no token, more than one, or one that does not count: another issuer or audience, expired, not yet valid,
    /// not signed with a key that is known, or naming nobody.
    pub fn read<'a>(&self, authorization: impl IntoIterator<Item = &'a [u8]>) -> Result<Credentials, Denied> {
        let mut headers = authorization.into_iter();
        let header = headers.next().ok_or(Denied::Missing)?;
        if headers.next().is_some() {
            return Err(Denied::Invalid("more than one Authorization header"));
        }
        let (scheme, token) =
            std::str::from_utf8(header).ok().and_then(|text| text.split_once(' ')).ok_or(MALFORMED)?;
        if !scheme.eq_ignore_ascii_case("bearer") {
            return Err(Denied::Missing);
        }
        let token = token.trim();
        let key = self.key(decode_header(token).map_err(|_| MALFORMED)?.kid.as_deref())?;
        let mut validation = Validation::new_for_family(key.family());
        validation.leeway = LEEWAY;
        validation.validate_nbf = true;
        validation.set_issuer(&[&self.rules.issuer]);
        validation.set_audience(&[&self.rules.audience]);
        validation.set_required_spec_claims(&["exp", "iss", "aud"]);
        let claims = decode::<Map<String, Value>>(token, &key, &validation).map_err(|error| denied(&error))?.claims;
        let Some(Value::String(actor)) = claims.get(&self.rules.actor_claim) else {
            return Err(Denied::Invalid("the token names no user"));
        };
        let mut caller = Caller::new(Some(actor), false);
        if caller.is_anonymous() {
            return Err(Denied::Invalid("the token names no user"));
        }
        if let Some(Value::String(name)) = claims.get("name") {
            caller = caller.with_name(name);
        }
        Ok(Credentials { caller, scopes: scopes(&claims) })
    }

    fn key(&self, id: Option<&str>) -> Result<DecodingKey, Denied> {
        let mut keys = self.keys.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        if written(self.rules.keys.path()) != keys.written {
            match Keys::read(&self.rules.keys) {
                Ok(fresh) => *keys = fresh,
                // A file that is being replaced: the keys that were good are good until it can be read.
                Err(error) => tracing::error!(cause = %error, "the keys for tokens have changed and can't be read"),
            }
        }
        keys.find(id).cloned().ok_or(Denied::Invalid("the token is signed with a key that is not known here"))
    }
}

const MALFORMED: Denied = Denied::Invalid("the Authorization header holds no signed token");

impl Keys {
    fn read(source: &KeySource) -> Result<Keys, TokenError> {
        let path = source.path();
        let written = written(path);
        let bytes = std::fs::read(path).map_err(|source| TokenError::Unreadable { path: path.to_owned(), source })?;
        let wrong = |wrong: String| TokenError::Keys { path: path.to_owned(), wrong };
        let by_id = match source {
            KeySource::Jwks(_) => public(&bytes).map_err(wrong)?,
            KeySource::Secret(_) => vec![(
                None,
                DecodingKey::from_secret(secret(&bytes).map_err(wrong)?)
                    .map_err(|error| TokenError::Keys { path: path.to_owned(), wrong: error.to_string() })?,
            )],
        };
        Ok(Keys { written, by_id })
    }

    /// The key with this id; the only one, where either side has no ids.
    fn find(&self, id: Option<&str>) -> Option<&DecodingKey> {
        match (self.by_id.as_slice(), id) {
            ([(known, key)], wanted) if known.is_none() || wanted.is_none() => Some(key),
            (keys, Some(id)) => keys.iter().find(|(known, _)| known.as_deref() == Some(id)).map(|(_, key)| key),
            (_, None) => None,
        }
    }
}

impl KeySource {
    fn path(&self) -> &Path {
        match self {
            KeySource::Jwks(path) | KeySource::Secret(path) => path,
        }
    }
}

/// A token for one user, signed with the shared secret: for trying a server out, and for hosts that issue their own.
///
/// # Errors
/// The keys are not a shared secret, or it can't be read.
pub fn issue(rules: &TokenRules, actor: &str, scopes: &str, life: std::time::Duration) -> Result<String, TokenError> {
    let path = rules.keys.path().to_owned();
    let KeySource::Secret(_) = rules.keys else {
        return Err(TokenError::Keys {
            path,
            wrong: "public keys sign nothing; ask the issuer for a token".to_owned(),
        });
    };
    let bytes = std::fs::read(&path).map_err(|source| TokenError::Unreadable { path: path.clone(), source })?;
    let failed = |wrong: String| TokenError::Keys { path: path.clone(), wrong };
    let key = EncodingKey::from_secret(secret(&bytes).map_err(failed)?);
    let until = jsonwebtoken::get_current_timestamp() + life.as_secs();
    let mut claims = json!({ "iss": rules.issuer, "aud": rules.audience, "exp": until, "scope": scopes });
    claims[&rules.actor_claim] = actor.into();
    let key = key.map_err(|error| failed(error.to_string()))?;
    encode(&Header::default(), &claims, &key).map_err(|error| failed(error.to_string()))
}

fn secret(bytes: &[u8]) -> Result<&[u8], String> {
    let end = bytes.len() - bytes.iter().rev().take_while(|byte| matches!(byte, b'\n' | b'\r')).count();
    match &bytes[..end] {
        short if short.len() < SECRET_BYTES => {
            Err(format!("a shared secret has at least {SECRET_BYTES} bytes, this one has {}", short.len()))
        }
        secret => Ok(secret),
    }
}

fn public(bytes: &[u8]) -> Result<Vec<(Option<String>, DecodingKey)>, String> {
    let set: JwkSet = serde_json::from_slice(bytes).map_err(|error| format!("no JWKS: {error}"))?;
    let keys: Vec<_> = set.keys.iter().filter_map(usable).collect();
    match keys.is_empty() {
        true => Err("none of its keys is a public RSA, EC or OKP key for signatures".to_owned()),
        false => Ok(keys),
    }
}

/// A public key for signatures. A symmetric one in a set of public keys would let whoever reads the set sign.
fn usable(jwk: &Jwk) -> Option<(Option<String>, DecodingKey)> {
    let public = !matches!(jwk.algorithm, AlgorithmParameters::OctetKey(_) | AlgorithmParameters::Other(_));
    let signs = !matches!(jwk.common.public_key_use, Some(PublicKeyUse::Encryption));
    let key = DecodingKey::from_jwk(jwk).ok().filter(|_| public && signs)?;
    Some((jwk.common.key_id.clone(), key))
}

fn written(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path).and_then(|metadata| metadata.modified()).ok()
}

fn denied(error: &jsonwebtoken::errors::Error) -> Denied {
    use jsonwebtoken::errors::ErrorKind;
    Denied::Invalid(match error.kind() {
        ErrorKind::ExpiredSignature => "the token has expired",
        ErrorKind::ImmatureSignature => "the token is not valid yet",
        ErrorKind::InvalidIssuer => "the token is from another issuer",
        ErrorKind::InvalidAudience => "the token is for another audience",
        ErrorKind::MissingRequiredClaim(_) => "the token lacks exp, iss or aud",
        ErrorKind::InvalidSignature | ErrorKind::InvalidAlgorithm => "the token's signature does not count",
        _ => "the token can't be read",
    })
}

/// `scope`, a list with spaces (RFC 9068), or `scp`, the same or a JSON list, as some issuers have it.
fn scopes(claims: &Map<String, Value>) -> Scopes {
    let mut scopes = Scopes::empty();
    let mut add = |name: &str| match name {
        SCOPE_READ => scopes |= Scopes::DATA_READ,
        SCOPE_WRITE => scopes |= Scopes::DATA_WRITE,
        _ => {}
    };
    for claim in ["scope", "scp"].iter().filter_map(|name| claims.get(*name)) {
        match claim {
            Value::String(text) => text.split(' ').for_each(&mut add),
            Value::Array(list) => list.iter().filter_map(Value::as_str).for_each(&mut add),
            _ => {}
        }
    }
    scopes
}
