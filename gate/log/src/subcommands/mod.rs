//! The subcommands of `p4warden-log`, and the modules that several of them share. They may use
//! every other module.

pub mod all_logs;
pub mod load;
pub mod options;
pub mod read;
pub mod replay;
pub mod servers;
