//! `gert record`: what was recorded, and what can be done with it.

use crate::config::Config;
use crate::tape::{self, Keep};

/// How recordings are kept by these settings; nothing where there is no home folder.
pub(super) fn keep(config: &Config) -> Option<Keep> {
    let recordings = config.recordings;
    Some(Keep {
        folder: tape::folder()?,
        enabled: recordings.enabled,
        most_bytes: recordings.max_mib << 20,
        total_bytes: recordings.total_mib << 20,
        compress: recordings.compress,
    })
}
