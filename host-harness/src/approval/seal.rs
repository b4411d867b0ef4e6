//! A question that nobody waits for: what was asked travels with the client, sealed, and comes back with the answer.
//!
//! The seal is an HMAC with the server's key over the question, its end of life and what it is bound to: the caller, the
//! tool and the arguments. The arguments are bound by a digest of their meaning, since clients write them anew. It is
//! readable by whoever carries it, and holds nothing that the preview does not show.

use std::path::Path;
use std::time::Duration;

use rmcp::model::{RequestStateCodec, SealOptions};
use serde::{Deserialize, Serialize};

use super::spent::{Spent, StoreError};
use crate::identity::Caller;
use crate::plugin::{Asked, Request};

/// The least length of a sealing key, in bytes.
pub const KEY_BYTES: usize = RequestStateCodec::MIN_KEY_LENGTH;

/// Bytes of the number that makes a question one of a kind.
const NONCE_BYTES: usize = 16;

/// The key that questions are sealed with.
pub struct SealingKey(Vec<u8>);

/// Why a sealing key can't be used.
#[derive(Debug, thiserror::Error)]
pub enum KeyError {
    /// The file can't be read.
    #[error("the sealing key in {path} can't be read: {source}")]
    Unreadable {
        /// The file.
        path: String,
        /// Why.
        source: std::io::Error,
    },
    /// It could be guessed.
    #[error("a sealing key has at least {KEY_BYTES} bytes, this one has {0}: make one with `openssl rand -hex 32`")]
    Short(usize),
    /// The system gives no random bytes.
    #[error("the system gives no random bytes for a sealing key: {0}")]
    Random(getrandom::Error),
}

impl SealingKey {
    /// The text of a key, for example of an environment variable. White space around it is not part of it.
    ///
    /// # Errors
    /// It is too short.
    pub fn new(text: &str) -> Result<SealingKey, KeyError> {
        let key = text.trim().as_bytes();
        if key.len() < KEY_BYTES {
            return Err(KeyError::Short(key.len()));
        }
        Ok(SealingKey(key.to_vec()))
    }

    /// The key in a file.
    ///
    /// # Errors
    /// The file can't be read, or its key is too short.
    pub fn read(path: &Path) -> Result<SealingKey, KeyError> {
        let text = std::fs::read_to_string(path)
            .map_err(|source| KeyError::Unreadable { path: path.display().to_string(), source })?;
        SealingKey::new(&text)
    }

    /// A fresh key: no other server opens what this one seals, nor does this one after a restart.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn fresh() -> Result<SealingKey, KeyError> {
        let mut key = vec![0; KEY_BYTES];
        getrandom::fill(&mut key).map_err(KeyError::Random)?;
        Ok(SealingKey(key))
    }
}

/// Seals questions, and opens each once.
pub struct Seal {
    codec: RequestStateCodec,
    spent: Spent,
    life: Duration,
}

#[derive(Serialize, Deserialize)]
struct State {
    /// Tells two equal questions apart, so that each is answered once.
    nonce: String,
    asked: Asked,
}

impl Seal {
    /// With a key, a store of what has been answered, and the life of a question.
    pub fn new(key: &SealingKey, spent: Spent, life: Duration) -> Seal {
        Seal { codec: RequestStateCodec::new_unchecked(key.0.clone()), spent, life }
    }

    /// The question that `request` came to, for the client to carry.
    ///
    /// # Errors
    /// The system gives no random bytes.
    pub fn close(&self, asked: &Asked, caller: &Caller, request: &Request) -> Result<String, getrandom::Error> {
        let mut nonce = [0; NONCE_BYTES];
        getrandom::fill(&mut nonce)?;
        let nonce = nonce.iter().map(|byte| format!("{byte:02x}")).collect();
        let state = serde_json::to_vec(&State { nonce, asked: asked.clone() }).unwrap_or_default();
        let bound = bound(caller, request);
        Ok(self.codec.seal_with(&state, &SealOptions::new().associated_data(bound.as_bytes()).ttl(self.life)))
    }

    /// What was asked, where this seal counts for this caller's call; after that it does no more.
    ///
    /// # Errors
    /// The store of spent questions can't be reached, so no answer counts.
    pub async fn open(&self, sealed: &str, caller: &Caller, request: &Request) -> Result<Option<Asked>, StoreError> {
        let bound = bound(caller, request);
        let state = match self.codec.open_with(sealed, bound.as_bytes()) {
            Ok(state) => state,
            Err(why) => {
                tracing::warn!(%why, tool = request.tool, "an answer that does not count");
                return Ok(None);
            }
        };
        let Ok(State { nonce, asked }) = serde_json::from_slice(&state) else { return Ok(None) };
        if self.spent.spend(&nonce, self.life).await? {
            return Ok(Some(asked));
        }
        tracing::warn!(tool = request.tool, "an answer to a question that has been answered");
        Ok(None)
    }
}

/// Who asked for what. JSON, so that no member can read as part of another.
fn bound(caller: &Caller, request: &Request) -> String {
    let kind = if caller.actor().is_some() { "user" } else { "system" };
    serde_json::json!([kind, caller.actor(), request.tool, request.arguments_digest()]).to_string()
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::approval::spent::StoreAddress;
    use crate::plugin::Cancel;
    use crate::tools::Scopes;

    async fn seal(key: &str, life: Duration) -> Seal {
        Seal::new(&SealingKey::new(key).unwrap(), Spent::open(&StoreAddress::Memory).await.unwrap(), life)
    }

    fn request(arguments: &str) -> Request {
        let (tool, arguments) = ("delete_records".to_owned(), arguments.to_owned());
        Request { tool, arguments, scopes: Scopes::empty(), approval: None, cancel: Cancel::default() }
    }

    fn asked() -> Asked {
        let asked = json!({ "tool": "delete_records", "arguments": "", "object": "task", "caller": { "User": "ana" },
            "target": ["CRM", "local", false], "rows": "", "count": 1, "expected": "task 1", "digest": "" });
        serde_json::from_value(asked).unwrap()
    }

    const KEY: &str = "a key of thirty-two bytes or more";

    #[tokio::test]
    async fn a_seal_opens_once_for_its_caller_its_call_and_its_key() {
        let (ana, bo) = (Caller::new(Some("ana"), false), Caller::new(Some("bo"), false));
        let ours = seal(KEY, Duration::from_secs(60)).await;
        let sealed = ours.close(&asked(), &ana, &request("{}")).unwrap();
        let other_tool = Request { tool: "delete_record".into(), ..request("{}") };
        for (caller, request) in [
            (&bo, request("{}")),
            (&Caller::new(None, true), request("{}")),
            (&ana, request(r#"{"where":{}}"#)),
            (&ana, other_tool),
        ] {
            assert_eq!(ours.open(&sealed, caller, &request).await.unwrap(), None);
        }
        let other_key = seal("another key of thirty-two bytes or more", Duration::from_secs(60)).await;
        assert_eq!(other_key.open(&sealed, &ana, &request("{}")).await.unwrap(), None);
        assert_eq!(ours.open(&sealed, &ana, &request(" {} ")).await.unwrap(), Some(asked()));
        assert_eq!(ours.open(&sealed, &ana, &request("{}")).await.unwrap(), None);
    }

    #[tokio::test]
    async fn a_question_has_an_end() {
        let ana = Caller::new(Some("ana"), false);
        let ours = seal(KEY, Duration::from_millis(1)).await;
        let sealed = ours.close(&asked(), &ana, &request("{}")).unwrap();
        tokio::time::sleep(Duration::from_millis(20)).await;
        assert_eq!(ours.open(&sealed, &ana, &request("{}")).await.unwrap(), None);
    }

    #[test]
    fn a_key_that_can_be_guessed_is_refused() {
        assert!(matches!(SealingKey::new("  short  "), Err(KeyError::Short(5))));
    }
}
