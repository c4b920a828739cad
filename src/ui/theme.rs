//! Colours by role.
