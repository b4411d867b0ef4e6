//! Who is calling (contract, section 3). Never a default that grants: whatever is not plainly a user, or the
//! system by the host's own configuration, is anonymous and sees nothing.

pub mod token;

use crate::bridge::{Actor, Identity};
pub use token::{Credentials, Denied, SCOPES, TokenRules, Tokens};

/// The caller of one call, as the host knows them. The guest never sees it and can't pass another one.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Caller {
    who: Who,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
enum Who {
    User {
        id: String,
        name: Option<String>,
    },
    System,
    #[default]
    Anonymous,
}

impl Caller {
    /// `actor_id` is the host's identifier of a user; `is_system` is the host's own configuration, never
    /// anything in a call.
    ///
    /// An actor is that user, whatever `is_system` says. An actor id that names nobody (empty, blank, with
    /// control characters, or the text `null` or `undefined` in any case, which is what a missing value
    /// often becomes on its way) is anonymous, never the system. `0` is an id like any other.
    pub fn new(actor_id: Option<&str>, is_system: bool) -> Caller {
        let who = match actor_id {
            Some(id) if names_somebody(id) => Who::User { id: id.to_owned(), name: None },
            Some(_) => Who::Anonymous,
            None if is_system => Who::System,
            None => Who::Anonymous,
        };
        Caller { who }
    }

    /// Adds a user's name for people; a caller who is no user stays as they are.
    #[must_use]
    pub fn with_name(mut self, text: &str) -> Caller {
        if let Who::User { name, .. } = &mut self.who {
            *name = Some(text.to_owned());
        }
        self
    }

    /// The user's id; `None` for the system and for anonymous.
    pub fn actor(&self) -> Option<&str> {
        match &self.who {
            Who::User { id, .. } => Some(id),
            Who::System | Who::Anonymous => None,
        }
    }

    /// Nobody known: reads nothing and removes nothing.
    pub fn is_anonymous(&self) -> bool {
        self.who == Who::Anonymous
    }

    /// What the bridge answers for this caller.
    pub fn identity(&self) -> Identity {
        match &self.who {
            Who::User { id, name } => Identity::User(Actor { id: id.clone(), name: name.clone() }),
            Who::System => Identity::System,
            Who::Anonymous => Identity::Anonymous,
        }
    }
}

fn names_somebody(id: &str) -> bool {
    let trimmed = id.trim();
    let blank = trimmed.chars().all(is_invisible);
    let absent = ["null", "undefined"].iter().any(|word| trimmed.eq_ignore_ascii_case(word));
    !blank && !absent && !id.chars().any(char::is_control)
}

/// Characters that show as nothing, but that `trim` takes for text.
fn is_invisible(c: char) -> bool {
    c.is_whitespace() || matches!(c, '\u{ad}' | '\u{200b}'..='\u{200f}' | '\u{2060}'..='\u{2064}' | '\u{feff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_actor_is_a_user_whatever_is_system_says() {
        for is_system in [false, true] {
            for id in ["ana", "0", "nullable", "ana maría", " ana "] {
                let caller = Caller::new(Some(id), is_system);
                assert_eq!(caller.identity(), Identity::User(Actor { id: id.to_owned(), name: None }));
                assert_eq!(caller.actor(), Some(id));
            }
        }
    }

    #[test]
    fn no_actor_is_the_system_only_where_the_host_says_so() {
        assert_eq!(Caller::new(None, true).identity(), Identity::System);
        assert_eq!(Caller::new(None, false).identity(), Identity::Anonymous);
        assert_eq!(Caller::default().identity(), Identity::Anonymous);
    }

    #[test]
    fn an_id_that_names_nobody_is_anonymous_and_never_the_system() {
        let nobody = [
            "",
            " ",
            "\t\n",
            "null",
            " NULL ",
            "Undefined",
            "undefined\n",
            "a\nb",
            "a\0",
            "\u{85}",
            "\u{200b}",
            "\u{a0}",
        ];
        for id in nobody {
            for is_system in [false, true] {
                let caller = Caller::new(Some(id), is_system).with_name("Ana");
                assert_eq!(caller.identity(), Identity::Anonymous, "{id:?}");
                assert_eq!(caller.actor(), None, "{id:?}");
                assert!(caller.is_anonymous(), "{id:?}");
            }
        }
    }
}
