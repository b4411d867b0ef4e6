//! Who is calling, and what they may do (contract, section 3).

use crate::Bridge;
use crate::bridge::{Access, Actor, FieldType, Identity, Principal, Verbs};
use crate::prelude::*;
use crate::refused::Refused;
use crate::settings;
use crate::text::{NAME_LIMIT, quote};
use crate::tools::{Scopes, Settings};

/// Refuses credentials that do not allow both reading and changing: a preview shows ids.
pub fn check_scopes(scopes: Scopes) -> Result<(), Refused> {
    if scopes.contains(Scopes::DATA_READ | Scopes::DATA_WRITE) {
        return Ok(());
    }
    Err(Refused::new("INSUFFICIENT_SCOPE", 403, "This needs the scopes data:read and data:write. Nothing was deleted."))
}

/// Refuses objects that no tool touches, before the bridge is asked anything.
pub fn check_object(settings: &Settings, object: &str) -> Result<(), Refused> {
    if settings::is_system_object(settings, object) {
        let name = quote(object, NAME_LIMIT);
        return Err(Refused::new("SYSTEM_OBJECT", 403, format!("{name} is a system object: no tool touches it.")));
    }
    Ok(())
}

/// A caller who may do something with the object.
pub struct Caller {
    /// As the bridge said it.
    pub principal: Principal,
    /// What they may do; `principal.access`, which is there.
    pub access: Access,
}

/// Asks who is calling and lets them in, or refuses: whoever is nobody, an object that is not there or not
/// theirs to see, and then what they may not do. `list` is whether the tool reads many records.
pub fn admit(bridge: &mut dyn Bridge, object: &str, list: bool) -> Result<Caller, Refused> {
    let principal = known(bridge, object)?;
    let name = quote(object, NAME_LIMIT);
    // Absent, hidden and spelt otherwise look the same.
    let Some(access) = principal.access.clone().filter(|access| access.object == object) else {
        return Err(no_object(object));
    };
    if !has_key(&access) {
        return Err(Refused::new(
            "ENGINE_FAULT",
            502,
            "The host named no key for this object that records can be told apart by.",
        ));
    }
    if list && !access.verbs.contains(Verbs::LIST) {
        return Err(Refused::new(
            "OBJECT_API_METHOD_NOT_ALLOWED",
            405,
            format!(
                "You may not list {name}, so its records can't be chosen by a filter or a list. Nothing was deleted."
            ),
        ));
    }
    if !access.verbs.contains(Verbs::REMOVE) {
        return Err(Refused::new(
            "PERMISSION_DENIED",
            403,
            format!("You may not delete from {name}. Nothing was deleted."),
        ));
    }
    Ok(Caller { principal, access })
}

/// Asks who is calling, and refuses whoever is nobody.
pub fn known(bridge: &mut dyn Bridge, object: &str) -> Result<Principal, Refused> {
    let principal = bridge.resolve_principal(object)?;
    if is_nobody(&principal.identity) {
        return Err(Refused::new(
            "UNAUTHENTICATED",
            401,
            "Nobody is known to be calling. Nothing was read or deleted.",
        ));
    }
    Ok(principal)
}

/// The object is not there, or not this caller's to see.
pub fn no_object(object: &str) -> Refused {
    Refused::new("OBJECT_NOT_FOUND", 404, format!("There is no object {} here.", quote(object, NAME_LIMIT)))
}

/// Whether the object's records can be told apart.
pub fn has_key(access: &Access) -> bool {
    !access.key.is_empty() && access.key.iter().all(|field| can_be_key(field.type_))
}

/// Asks again, before anything goes: the caller must still be who they were, and may do no less.
pub fn recheck(bridge: &mut dyn Bridge, caller: &Caller) -> Result<(), Refused> {
    let now = bridge.resolve_principal(&caller.access.object)?;
    let verbs = match &now.access {
        Some(access) if access.object == caller.access.object => access.verbs,
        _ => Verbs::empty(),
    };
    if same(&now.identity, &caller.principal.identity) && verbs.contains(caller.access.verbs) {
        return Ok(());
    }
    Err(Refused::new(
        "PRINCIPAL_CHANGED",
        403,
        "The caller, or what they may do, changed during the call. Nothing was deleted.",
    ))
}

/// The kind of an identity, and the actor's id where there is one.
pub fn parts(identity: &Identity) -> (&'static str, &str) {
    match identity {
        Identity::User(Actor { id, .. }) => ("user", id),
        Identity::System => ("system", ""),
        Identity::Anonymous => ("anonymous", ""),
    }
}

fn same(a: &Identity, b: &Identity) -> bool {
    parts(a) == parts(b)
}

/// Nobody, or somebody whose id is none: what a missing header or a careless host turns into.
fn is_nobody(identity: &Identity) -> bool {
    match identity {
        Identity::System => false,
        Identity::Anonymous => true,
        Identity::User(actor) => {
            let id = actor.id.trim();
            id.is_empty()
                || actor.id.chars().any(char::is_control)
                || ["null", "undefined"].iter().any(|word| id.eq_ignore_ascii_case(word))
        }
    }
}

fn can_be_key(kind: FieldType) -> bool {
    !matches!(kind, FieldType::Float | FieldType::TextList | FieldType::Opaque)
}
