//! Reads the logs of a Perforce server.
//!
//! `TextLog` reads lines and hands commands and events to a `Sink`; `input` opens files. What a
//! log says is anyone's word: every part of it may be missing, cut or made up, and nothing here
//! panics on it or holds more than a few MiB of it.

#![cfg_attr(
    not(test),
    warn(clippy::expect_used, clippy::indexing_slicing, clippy::panic, clippy::unwrap_used)
)]

pub mod command;
pub mod counts;
pub mod input;
pub mod json;
pub mod lines;
pub mod load;
pub mod local_time;
pub mod numbers;
pub mod open;
pub mod options;
pub mod read;
pub mod replay;
pub mod said;
pub mod sink;
pub mod sqlite;
pub mod stream;
pub mod structured;
pub mod tables;
pub mod text;
