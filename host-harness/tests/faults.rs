//! Faults with real processes, over both engines: the program is killed, the server is killed, the disk is full. In every
//! case the records that are gone are those that the answer says, but for the one that was under way, which it names; and
//! nothing stays behind.

#[path = "faults/disk.rs"]
mod disk;
#[path = "faults/killed.rs"]
mod killed;
#[path = "faults/places.rs"]
mod places;
