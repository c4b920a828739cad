//! The task that owns all traffic with the platform.
