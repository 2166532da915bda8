use p4warden_index::base::fault::Fault;
use p4warden_index::source::ends::FileRole;
use p4warden_index::source::records::{MAX_RECORD_BYTES, Records};
use std::io::{Cursor, Read, Result};
use std::path::Path;

/// Returns at most the given number of bytes at a time.
struct Drops(Cursor<Vec<u8>>, usize);

impl Read for Drops {
    fn read(&mut self, to: &mut [u8]) -> Result<usize> {
        let some = to.len().min(self.1);
        self.0.read(to.get_mut(..some).unwrap_or_default())
    }
}

#[test]
fn a_record_beyond_the_maximum_length_is_refused_for_any_read_size() {
    let (head, end, next) = (&b"@pv@ 9 @db.rev@ @"[..], &b"@ 1 \n"[..], &b"@ex@ 1 1\n"[..]);
    let too_long = || Fault::File("journal: byte 0: a record is longer than 16 MiB".to_owned());
    for (more, last) in [(0, next), (1, next), (1 << 20, next), (0, b""), (1, b"")] {
        let bytes = MAX_RECORD_BYTES + more;
        let value = vec![b'a'; bytes - head.len() - end.len()];
        let text = [head, &value, end, last].concat();
        for drops in [99_991, bytes + 1, usize::MAX] {
            let input = Drops(Cursor::new(text.clone()), drops);
            let mut records =
                Records::new(Box::new(input), Path::new("journal"), FileRole::Journal);
            let result = records.next(|_| true).map(|record| record.is_some());
            let expected = if more == 0 { Ok(true) } else { Err(too_long()) };
            assert_eq!(result, expected, "{more} {last:?} {drops}");
        }
    }
}
