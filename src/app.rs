//! The dashboard's state: events in, effects out, nothing else.
