//! How a socket ended, and what that means.

use tokio_tungstenite::tungstenite::protocol::CloseFrame;
use tokio_tungstenite::tungstenite::protocol::frame::coding::CloseCode;

use super::SocketError;
use crate::api::clean;

/// A socket's end.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Closed {
    /// The server's close code; `None` if it gave none or the connection just ended.
    pub code: Option<u16>,
    /// The server's reason, cleaned; or how the link was lost.
    pub reason: String,
    /// What to do.
    pub verdict: Verdict,
}

/// What the end of a link, or a refusal to open it, means for the next attempt.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Verdict {
    /// The game is over: there is nothing to come back to.
    Ended,
    /// The server restarts or moves: come back shortly.
    Soon,
    /// The server is too busy: come back after a longer wait.
    Later,
    /// Coming back would be refused again: tell the user.
    Stop,
    /// The link was lost: come back, slower each time.
    BackOff,
}

impl Closed {
    pub(super) fn by(frame: Option<&CloseFrame>, over: bool) -> Self {
        let code = frame.map(|frame| u16::from(frame.code)).filter(|_| {
            // A close frame without a code is reported as 1005.
            !matches!(frame.map(|frame| frame.code), Some(CloseCode::Status))
        });
        let reason = frame.map(|frame| clean::line(&frame.reason, clean::EXCERPT)).unwrap_or_default();
        Self { code, reason, verdict: verdict(code, over) }
    }

    pub(super) fn lost(reason: &str, over: bool) -> Self {
        Self { code: None, reason: reason.to_owned(), verdict: verdict(None, over) }
    }

    pub(super) fn after(error: &SocketError, over: bool) -> Self {
        let verdict = if over { Verdict::Ended } else { error.verdict() };
        Self { code: None, reason: error.to_string(), verdict }
    }
}

fn verdict(code: Option<u16>, over: bool) -> Verdict {
    if over {
        return Verdict::Ended;
    }
    match code {
        // A normal end before the game's end is seen: look again, the end may just have been missed.
        Some(1000 | 1001 | 1012) => Verdict::Soon,
        Some(1013) => Verdict::Later,
        // Policy violation, unauthorised, forbidden, and the customary private codes for the same.
        Some(1008 | 3000 | 3003 | 4001 | 4003 | 4004 | 4401 | 4403 | 4404 | 4410) => Verdict::Stop,
        _ => Verdict::BackOff,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_have_their_meaning() {
        // W-06, W-19.
        for (code, wanted) in [
            (Some(1000), Verdict::Soon),
            (Some(1001), Verdict::Soon),
            (Some(1012), Verdict::Soon),
            (Some(1013), Verdict::Later),
            (Some(1008), Verdict::Stop),
            (Some(4401), Verdict::Stop),
            (Some(1011), Verdict::BackOff),
            (Some(4999), Verdict::BackOff),
            (None, Verdict::BackOff),
        ] {
            assert_eq!(verdict(code, false), wanted, "{code:?}");
            assert_eq!(verdict(code, true), Verdict::Ended, "{code:?}");
        }
    }

    #[test]
    fn a_reason_is_cleaned() {
        let frame = CloseFrame { code: CloseCode::Restart, reason: "re\x1b[2Jstart\n".into() };
        let closed = Closed::by(Some(&frame), false);
        assert_eq!((closed.code, closed.reason.as_str()), (Some(1012), "re [2Jstart"));
        assert_eq!(Closed::by(None, false).code, None);
    }
}
