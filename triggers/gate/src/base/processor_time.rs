//! What the kernel counts for a process: how long it ran, and how long it waited for a processor.

use rustix::fs::{Mode, OFlags};

/// Zero where this kernel does not tell. (Documentation/scheduler/sched-stats.rst of the kernel)
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ProcessorTime {
    pub ran_ns: u64,
    pub waited_ns: u64,
}

impl ProcessorTime {
    /// Of the first thread of a process, which is named as in `/proc`.
    pub fn of(process: &str) -> Self {
        let text = std::fs::read_to_string(format!("/proc/{process}/schedstat"));
        text.ok().and_then(|text| ProcessorTime::read(&text)).unwrap_or_default()
    }

    /// Of the first thread of this process; takes no memory.
    pub fn own() -> Self {
        let mut text = [0; 64];
        let file = rustix::fs::open(c"/proc/self/schedstat", OFlags::RDONLY, Mode::empty());
        let length = file.ok().and_then(|file| rustix::io::read(file, &mut text[..]).ok());
        let text = text.get(..length.unwrap_or(0)).and_then(|text| str::from_utf8(text).ok());
        text.and_then(ProcessorTime::read).unwrap_or_default()
    }

    fn read(text: &str) -> Option<Self> {
        let mut numbers = text.split_ascii_whitespace().map(|number| number.parse().ok());
        Some(ProcessorTime { ran_ns: numbers.next()??, waited_ns: numbers.next()?? })
    }

    /// The rest of a time in which it neither ran nor waited for a processor.
    pub fn slept_ns(self, of_ns: u64) -> u64 {
        of_ns.saturating_sub(self.ran_ns).saturating_sub(self.waited_ns)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_kernels_numbers_are_read() {
        let time = ProcessorTime::read("735193 64736 1\n").unwrap();
        assert_eq!(time, ProcessorTime { ran_ns: 735_193, waited_ns: 64_736 });
        assert_eq!([1_000_000, 5].map(|of_ns| time.slept_ns(of_ns)), [200_071, 0]);
        assert_eq!(["", "7", "7 x"].map(ProcessorTime::read), [None, None, None]);
        assert_eq!(ProcessorTime::of("none"), ProcessorTime::default());
        assert_eq!(ProcessorTime::own().ran_ns > 0, ProcessorTime::of("self").ran_ns > 0);
    }
}
