//! Faults on purpose, so that tests can see what the built program does about them.
//!
//! Only a debug build knows them: there `GERT_TEST_FAULT` names one, and F12 makes it happen. A release build does
//! not read the variable.

use crate::app::event::Event;
use crate::app::key::{Key, KeyCode};

/// Something that must never happen by itself.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Fault {
    /// A panic in the loop.
    Panic,
    /// A panic in a task.
    PanicInTask,
    /// The loop never comes back.
    Block,
}

impl Fault {
    /// The fault that the environment names, in a debug build.
    pub(super) fn asked_for() -> Option<Self> {
        if !cfg!(debug_assertions) {
            return None;
        }
        match std::env::var("GERT_TEST_FAULT").as_deref() {
            Ok("panic") => Some(Self::Panic),
            Ok("panic-in-task") => Some(Self::PanicInTask),
            Ok("block") => Some(Self::Block),
            _ => None,
        }
    }

    /// Makes it happen, if the event is the key for it.
    pub(super) fn strike(self, event: &Event) {
        if !matches!(event, Event::Typed(Key { code: KeyCode::F(12), .. })) {
            return;
        }
        match self {
            Self::Panic => panic!("the loop was asked to panic"),
            Self::PanicInTask => drop(tokio::spawn(async { panic!("a task was asked to panic") })),
            Self::Block => loop {
                std::thread::park();
            },
        }
    }
}
