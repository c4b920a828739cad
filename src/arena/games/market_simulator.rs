//! `market_simulator`.
