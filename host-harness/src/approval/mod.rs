//! The question to a person, and their answer: carried by an MCP client, in the way of its generation.
//!
//! | room | what it knows |
//! | --- | --- |
//! | [`form`] | a question as a form, and what its answer comes to |
//! | [`seal`] | a question that nobody waits for: what has been asked travels with the client, sealed |
//! | [`spent`] | which sealed questions have been answered |
//!
//! # When an answer counts
//! An answer that comes with a sealed question counts if the seal is this server's, the question is younger than its
//! life, it was put to the same caller about the same tool and arguments, and nobody has answered it before. In every
//! other case (forged, changed, expired, replayed, another caller's, for other arguments, or unasked) the call is taken as
//! one that brings no answer: nothing is deleted, and the person is asked anew. Whatever the answer then allows, the guard
//! and the component compare the records once more.

pub mod form;
pub mod seal;
pub mod spent;
