//! The platform's REST and WebSocket API, typed.
