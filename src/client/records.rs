//! Answers what is asked about recordings: no platform is needed for it.

use std::path::PathBuf;

use crate::api;
use crate::tape::{compare, library};

use super::{Answer, Question};

/// Answers off the async threads.
pub(super) async fn answer(question: Question, folder: Option<PathBuf>) -> Result<Answer, api::Error> {
    let failed = |why: String| api::Error::local("read recordings", &why);
    let answering = tokio::task::spawn_blocking(move || match question {
        Question::Compare(a, b) => {
            compare::files(&a, &b).map(|compared| Answer::Compared(Box::new(compared)))
        }
        _ => Ok(Answer::Recordings(folder.as_deref().map(library::list).transpose()?.unwrap_or_default())),
    });
    match answering.await {
        Ok(answer) => answer.map_err(|why| failed(why.to_string())),
        Err(why) => Err(failed(why.to_string())),
    }
}
