//! Builds an index from checkpoints and journals. May use every room but `estimate`.

pub mod asked;
pub mod clients;
pub mod directories;
pub mod follower;
pub mod fresh;
pub mod had;
pub mod journal_place;
pub mod lately;
pub mod make;
pub mod places;
pub mod read;
pub mod rows;
pub mod store;
pub mod streams;
pub mod sweep;
pub mod take;
pub mod users;
pub mod write;
