//! `gert play connect` and `gert play spectate`: a socket as lines, one message a line.

use std::time::{Duration, Instant};

use futures_util::FutureExt;
use futures_util::future::BoxFuture;
use serde_json::value::RawValue;
use tokio::io::{AsyncBufReadExt, BufReader, Lines, Stdin};

use super::failure::Failure;
use super::method::{Method, View};
use super::narrate::Narrator;
use super::{Context, output};
use crate::api::endpoints::GetPlay;
use crate::api::model::{Extra, PlayerToken, SessionId};
use crate::api::reconnect::{Input, Output as Next, State, step};
use crate::api::{Client, Error, Field, Kind, Message, Place, PlaySocket, Request, SocketError, Verdict};
use crate::text;

/// The longest line of stdin.
const LONGEST: usize = 1 << 20;

/// `gert play connect`.
pub(super) const CONNECT: Method = Method {
    name: "connect",
    operation: "play.connect",
    about: "Takes a seat over its socket: messages come out one a line, actions go in one a line.\n\n\
            A line of stdin is the payload of an action, any JSON; `[]` does nothing. A line \
            `{\"type\":\"delegate\",\"provider_id\":\"…\"}` lets a registered provider decide the turn. It ends with the \
            game; when stdin ends, it only listens.",
    fields: GetPlay::FIELDS,
    more: &[],
    view: View::Record,
    pages: false,
    watch: false,
    run: connect,
};

/// `gert play spectate`.
pub(super) const SPECTATE: Method = Method {
    name: "spectate",
    operation: "play.spectate",
    about: "Watches a session over its socket, one message a line, until the game is over.\n\n\
            A lost connection is opened again with growing waits; the server then sends the current state. With \
            `--narrate` it is told as plain text instead.",
    fields: &[Field { name: "session_id", about: "Which session.", kind: Kind::Text, place: Place::Path }],
    more: &[Field {
        name: "narrate",
        about: "Tell it as plain text, a line for each thing that happens.",
        kind: Kind::Bool,
        place: Place::Optional,
    }],
    view: View::Record,
    pages: false,
    watch: false,
    run: spectate,
};

fn connect<'a>(context: &'a Context, _: &'a Method, members: Extra) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let seat = GetPlay::from_members(members).map_err(Failure::Usage)?;
        let lines = BufReader::new(tokio::io::stdin()).lines();
        follow(context, &Target::Seat(seat.session_id, seat.player_token), Some(lines), None).await
    }
    .boxed()
}

fn spectate<'a>(context: &'a Context, _: &'a Method, members: Extra) -> BoxFuture<'a, Result<(), Failure>> {
    async move {
        let session = members.decode("session_id").unwrap_or_default();
        let narrate = members.decode::<bool>("narrate").unwrap_or(false);
        let narrator = narrate.then(Narrator::default);
        follow(context, &Target::Spectator(session), None, narrator).await
    }
    .boxed()
}

/// What a socket is opened to.
enum Target {
    Spectator(SessionId),
    Seat(SessionId, PlayerToken),
}

impl Target {
    async fn open(&self, client: &Client) -> Result<PlaySocket, Error> {
        match self {
            Self::Spectator(session) => client.spectate(session).await,
            Self::Seat(session, token) => client.connect_player(session, token).await,
        }
    }
}

/// Opens the socket, and again whenever it is lost and another try makes sense, until the game is over.
async fn follow(
    context: &Context,
    target: &Target,
    mut lines: Option<Lines<BufReader<Stdin>>>,
    mut narrator: Option<Narrator>,
) -> Result<(), Failure> {
    let client = context.client()?;
    let mut state = State::START;
    loop {
        let opened = Instant::now();
        let (verdict, lived, failure) = match target.open(client).await {
            Err(error) => (error.verdict(), Duration::ZERO, Failure::Api(error)),
            Ok(mut socket) => {
                state = step(state, Input::Opened, 0.0).0;
                let end = read(&mut socket, &mut lines, &mut narrator).await?;
                (end.0, opened.elapsed(), Failure::Local(end.1))
            }
        };
        let (next, what) = step(state, Input::Lost { verdict, lived }, rand::random());
        let Next::Wait(wait) = what else {
            return if verdict == Verdict::Ended { Ok(()) } else { Err(failure) };
        };
        output::say(&format!("{}; again in {:.1} s", failure.words(), wait.as_secs_f32()));
        tokio::time::sleep(wait).await;
        state = step(next, Input::Due, 0.0).0;
    }
}

/// Prints messages and sends lines until the socket ends: what that means, and in words.
async fn read(
    socket: &mut PlaySocket,
    lines: &mut Option<Lines<BufReader<Stdin>>>,
    narrator: &mut Option<Narrator>,
) -> Result<(Verdict, String), Failure> {
    loop {
        tokio::select! {
            message = socket.recv() => match message {
                Ok(Some(message)) => match narrator {
                    Some(narrator) => {
                        for line in narrator.tell(message) {
                            output::print_line(&line)?;
                        }
                    }
                    None => print(&message)?,
                },
                Ok(None) => return Ok(socket.ending()),
                Err(why) => return Ok((why.verdict(), why.to_string())),
            },
            line = next(lines) => match line {
                Ok(Some(line)) => say(socket, line.trim()).await?,
                // Nothing more is said; what the seat sees still is.
                Ok(None) => *lines = None,
                Err(why) => return Err(Failure::Local(format!("stdin cannot be read: {why}"))),
            },
        }
    }
}

/// The next line of stdin; never, if there are none any more.
async fn next(lines: &mut Option<Lines<BufReader<Stdin>>>) -> std::io::Result<Option<String>> {
    match lines {
        Some(lines) => lines.next_line().await,
        None => std::future::pending().await,
    }
}

fn print(message: &Message) -> Result<(), Failure> {
    // A message is one line already, unless its JSON was written over several.
    let line: String = message.raw.chars().filter(|char| !matches!(char, '\n' | '\r')).collect();
    output::print_line(&line)
}

async fn say(socket: &mut PlaySocket, line: &str) -> Result<(), Failure> {
    if line.is_empty() {
        return Ok(());
    }
    if line.len() > LONGEST {
        output::say("a line is too long and was not sent");
        return Ok(());
    }
    let Ok(payload) = serde_json::from_str::<&RawValue>(line) else {
        output::say(&format!("this is not JSON and was not sent: {}", text::excerpt(line, 60)));
        return Ok(());
    };
    let sent = match delegation(line) {
        Some((provider, model)) => socket.delegate(&provider, model.as_deref()).await,
        None => socket.send_action(payload, None).await,
    };
    // A lost link is noticed by the reader, which opens it again.
    sent.or_else(|why: SocketError| {
        output::say(&format!("not sent: {why}"));
        Ok(())
    })
}

/// A line that hands the turn to a provider.
fn delegation(line: &str) -> Option<(String, Option<String>)> {
    let members: Extra = serde_json::from_str(line).ok()?;
    (members.decode::<String>("type")? == "delegate").then_some(())?;
    Some((members.decode("provider_id")?, members.decode("model")))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_is_an_action_unless_it_delegates() {
        assert_eq!(
            delegation(r#"{"type":"delegate","provider_id":"p","model":"m"}"#),
            Some(("p".into(), Some("m".into())))
        );
        assert_eq!(delegation(r#"{"type":"delegate"}"#), None);
        assert_eq!(delegation(r#"[{"action":"x"}]"#), None);
        assert_eq!(delegation(r#"{"action":"delegate","provider_id":"p"}"#), None);
    }
}
