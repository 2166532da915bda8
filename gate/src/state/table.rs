//! The rates: places in groups of 16, two groups for each key, in which a place is taken for as
//! long as its time is ahead.

use super::header::Header;
use crate::bytes::{Corrupt, Reader, Writer};
use crate::fault::Fault;
use crate::home::Opened;
use crate::keys::Key;

const PAGE_BYTES: u64 = 4096;
const PLACE_BYTES: usize = 32;
const PLACES: usize = 16;
/// A group never crosses a page.
const GROUP_BYTES: u64 = (PLACE_BYTES * PLACES) as u64;

/// How many groups of which kind the file has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Layout {
    /// Groups of 16 rates.
    pub rates: u32,
    /// Pages of 16 notes.
    pub notes: u32,
}

impl Default for Layout {
    /// 131,072 rates, so that 60,000 at once leave it half empty, and 4,096 notes: 5 MiB, sparse.
    fn default() -> Self {
        Layout { rates: 8_192, notes: 256 }
    }
}

impl Layout {
    /// The file's length.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.rates_start() + u64::from(self.rates) * GROUP_BYTES
    }

    pub(super) fn notes_start() -> u64 {
        PAGE_BYTES
    }

    fn rates_start(&self) -> u64 {
        Self::notes_start() + u64::from(self.notes) * PAGE_BYTES
    }
}

type Place = [u8; PLACE_BYTES];

/// The groups that one decision reads.
#[derive(Debug)]
pub(super) struct Table {
    layout: Layout,
    groups: Vec<Group>,
}

#[derive(Debug)]
struct Group {
    number: u32,
    places: [Place; PLACES],
}

impl Table {
    pub fn new(layout: Layout) -> Self {
        Table { layout, groups: Vec::new() }
    }

    /// What is kept of a key.
    pub fn find(
        &mut self,
        opened: &Opened,
        header: &Header,
        key: Key,
    ) -> Result<Option<u64>, Fault> {
        for number in self.groups_of(key) {
            let at = self.load(opened, number)?;
            let mut places = self.groups.get(at).into_iter().flat_map(|group| &group.places);
            let own = places.find(|place| place.starts_with(&key.to_le_bytes()));
            if let Some((_, until_ns)) = own.and_then(|place| read(place, header).ok()) {
                return Ok(Some(until_ns));
            }
        }
        Ok(None)
    }

    /// Keeps a time of a key; false if all places that may be its own are another's and live.
    pub fn keep(
        &mut self,
        opened: &Opened,
        header: &Header,
        key: Key,
        until_ns: u64,
        now_ns: u64,
    ) -> Result<bool, Fault> {
        let mut free = None;
        for number in self.groups_of(key) {
            let at = self.load(opened, number)?;
            let places = self.groups.get(at).into_iter().flat_map(|group| &group.places);
            for (index, place) in places.enumerate() {
                match read(place, header) {
                    Ok((known, _)) if known == key => {
                        return self.write(opened, (at, index), place_of(key, until_ns, header));
                    }
                    Ok((_, until_ns)) if until_ns > now_ns => {}
                    _ => free = free.or(Some((at, index))),
                }
            }
        }
        free.map_or(Ok(false), |spot| self.write(opened, spot, place_of(key, until_ns, header)))
    }

    /// Writes a place, in the file and in the group that was read.
    fn write(
        &mut self,
        opened: &Opened,
        (at, index): (usize, usize),
        place: Place,
    ) -> Result<bool, Fault> {
        let Some(group) = self.groups.get_mut(at) else {
            return Ok(false);
        };
        let Some(known) = group.places.get_mut(index) else {
            return Ok(false);
        };
        *known = place;
        let start = self.layout.rates_start() + u64::from(group.number) * GROUP_BYTES;
        opened.write(&place, start + (index * PLACE_BYTES) as u64)?;
        Ok(true)
    }

    /// Reads a group unless it is read; says where it is among those that are.
    fn load(&mut self, opened: &Opened, number: u32) -> Result<usize, Fault> {
        if let Some(at) = self.groups.iter().position(|group| group.number == number) {
            return Ok(at);
        }
        let mut places = [[0; PLACE_BYTES]; PLACES];
        let start = self.layout.rates_start() + u64::from(number) * GROUP_BYTES;
        opened.read(places.as_flattened_mut(), start)?;
        self.groups.push(Group { number, places });
        Ok(self.groups.len() - 1)
    }

    fn groups_of(&self, key: Key) -> [u32; 2] {
        let groups = u128::from(self.layout.rates.max(1));
        [(key % groups) as u32, ((key >> 64) % groups) as u32]
    }
}

/// A place's bytes. Its check depends on the secret, so that noise is never taken for a rate.
fn place_of(key: Key, until_ns: u64, header: &Header) -> Place {
    let mut to = Writer(Vec::with_capacity(PLACE_BYTES));
    to.raw(&key.to_le_bytes()).u64(until_ns).u32(header.epoch);
    let check = check(&to.0, header);
    to.u32(check);
    to.0.as_slice().try_into().unwrap_or([0; PLACE_BYTES])
}

fn read(place: &Place, header: &Header) -> Result<(Key, u64), Corrupt> {
    let mut from = Reader::new(place);
    let (key, until_ns, epoch, known) = (from.u128()?, from.u64()?, from.u32()?, from.u32()?);
    let (content, _) = place.split_last_chunk::<4>().ok_or(Corrupt)?;
    let sound = epoch == header.epoch && known == check(content, header);
    sound.then_some((key, until_ns)).ok_or(Corrupt)
}

fn check(content: &[u8], header: &Header) -> u32 {
    siphasher::sip::SipHasher13::new_with_key(&header.secret).hash(content) as u32
}
