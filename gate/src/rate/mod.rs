//! Rates: the cell rate algorithm, the text of a limit, the shape of a command, the places for waiting
//! requests. Pure arithmetic; may use `base`.

pub mod gcra;
pub mod limits;
pub mod shape;
pub mod waiting;
