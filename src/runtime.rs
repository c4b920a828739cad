//! The event loop: terminal, inbox, effects. The only place that wires things.
