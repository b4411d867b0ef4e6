//! Guests that try to get round the host: built for the tests of the guard.
