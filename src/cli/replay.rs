//! `gert replay`: the dashboard on a recording.

use crate::config::{Config, Given};

use super::{Failure, dashboard, load, record};

/// Finds the recording before the screen is taken.
pub(super) async fn run(name: &str, given: Given) -> Result<i32, Failure> {
    let file = match record::find(name) {
        Ok(file) => file,
        Err(why) => return Ok(why.tell(false)),
    };
    // One that cannot be played is told here, where the words stay.
    if let Err(why) = crate::tape::library::peek(&file) {
        return Ok(record::Failed::of(&file, &why).tell(false));
    }
    dashboard::replay(load(given, Config::load_without_key).await?, file).await
}
