//! The subcommands of `p4warden-log`, and the modules that several of them share.

pub mod all_logs;
pub mod count;
pub mod load;
pub mod read;
pub mod replay;
pub mod servers;
