//! Runs any command as a player, over JSON lines.
