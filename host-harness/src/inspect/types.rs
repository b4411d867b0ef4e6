//! Whether two types are the same, as the component model sees it: by structure, down to the names of
//! fields and cases; a type's own name does not count.

use wit_parser::{Function, FunctionKind, Resolve, Type, TypeDefKind};

/// One side of a comparison, with the types that it refers to.
type In<'a, T> = (&'a Resolve, T);

/// Whether two functions have the same parameters, names included, and the same result.
pub fn same_function((a, left): In<'_, &Function>, (b, right): In<'_, &Function>) -> bool {
    left.kind == FunctionKind::Freestanding
        && right.kind == FunctionKind::Freestanding
        && left.params.len() == right.params.len()
        && left.params.iter().zip(&right.params).all(|(l, r)| l.name == r.name && same((a, l.ty), (b, r.ty)))
        && same_option((a, left.result), (b, right.result))
}

fn same_option((a, left): In<'_, Option<Type>>, (b, right): In<'_, Option<Type>>) -> bool {
    match (left, right) {
        (None, None) => true,
        (Some(left), Some(right)) => same((a, left), (b, right)),
        _ => false,
    }
}

fn same((a, left): In<'_, Type>, (b, right): In<'_, Type>) -> bool {
    match (resolved(a, left), resolved(b, right)) {
        (Resolved::Kind(left), Resolved::Kind(right)) => same_kind((a, left), (b, right)),
        (Resolved::Plain(left), Resolved::Plain(right)) => left == right,
        _ => false,
    }
}

fn same_kind((a, left): In<'_, &TypeDefKind>, (b, right): In<'_, &TypeDefKind>) -> bool {
    match (left, right) {
        (TypeDefKind::Record(left), TypeDefKind::Record(right)) => {
            same_list(&left.fields, &right.fields, |l, r| l.name == r.name && same((a, l.ty), (b, r.ty)))
        }
        (TypeDefKind::Variant(left), TypeDefKind::Variant(right)) => {
            same_list(&left.cases, &right.cases, |l, r| l.name == r.name && same_option((a, l.ty), (b, r.ty)))
        }
        (TypeDefKind::Enum(left), TypeDefKind::Enum(right)) => {
            same_list(&left.cases, &right.cases, |l, r| l.name == r.name)
        }
        (TypeDefKind::Flags(left), TypeDefKind::Flags(right)) => {
            same_list(&left.flags, &right.flags, |l, r| l.name == r.name)
        }
        (TypeDefKind::Tuple(left), TypeDefKind::Tuple(right)) => {
            same_list(&left.types, &right.types, |l, r| same((a, *l), (b, *r)))
        }
        (TypeDefKind::Option(left), TypeDefKind::Option(right))
        | (TypeDefKind::List(left), TypeDefKind::List(right)) => same((a, *left), (b, *right)),
        (TypeDefKind::Result(left), TypeDefKind::Result(right)) => {
            same_option((a, left.ok), (b, right.ok)) && same_option((a, left.err), (b, right.err))
        }
        // The contract has none of the other kinds (handles, futures, streams, maps, …).
        _ => false,
    }
}

fn same_list<T>(left: &[T], right: &[T], same: impl Fn(&T, &T) -> bool) -> bool {
    left.len() == right.len() && left.iter().zip(right).all(|(left, right)| same(left, right))
}

enum Resolved<'a> {
    Plain(Type),
    Kind(&'a TypeDefKind),
}

/// A type behind its aliases.
fn resolved(resolve: &Resolve, mut ty: Type) -> Resolved<'_> {
    while let Type::Id(id) = ty {
        match &resolve.types[id].kind {
            TypeDefKind::Type(aliased) => ty = *aliased,
            kind => return Resolved::Kind(kind),
        }
    }
    Resolved::Plain(ty)
}
