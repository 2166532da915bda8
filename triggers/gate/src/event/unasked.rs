//! Why an event is not judged whatever the policy's answer to failures is: users could cause it.

/// Of one user, that may wait for the server's answer.
pub const MOST_OF_A_USER: u32 = 128;
/// Of an event, for its turn, for the answer, and for its admission.
pub const LONGEST_S: u64 = 60;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Unasked {
    CrowdOfUser,
    TooLate,
    /// Others that add a depot or a directory were judged for so long.
    NotAdmitted,
}

impl Unasked {
    pub fn words(self) -> String {
        match self {
            Unasked::CrowdOfUser => format!("{MOST_OF_A_USER} others of this user are waiting"),
            Unasked::TooLate | Unasked::NotAdmitted => {
                format!("its turn did not come, or end, within {LONGEST_S} s")
            }
        }
    }
}
