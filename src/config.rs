//! Profiles and settings: flags over environment over file over defaults.
