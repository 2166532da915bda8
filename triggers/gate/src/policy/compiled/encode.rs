//! Encoder of a policy into the bytes of `gate.policy`.

use super::exemptions::Patterns;
use super::{MAGIC, PREFIX_BYTES, modes, programs, rates, rules, scan_limits, scope};
use crate::base::bytes::{Writer, checksum};
use crate::paths::command_synonyms::resolve_name;
use crate::policy::document::{Exemption, Kind, Policy, Rule};
use std::collections::{BTreeSet, HashMap};

#[derive(Debug)]
pub struct Extras {
    pub case_sensitive: bool,
    /// False if the mode is unknown.
    pub unicode: bool,
    pub server_id: Option<String>,
    /// Maximum run time of the worker that judges a form or a submit.
    pub deadline_ns: u64,
    /// Relative to the folder of the gate's executable; None if forms and submits are not judged.
    pub worker: Option<String>,
    /// In the format of `Depots::write`; empty if unknown.
    pub depots: Vec<u8>,
}

impl Extras {
    /// Without a worker, so forms and submits cannot be judged.
    #[must_use]
    pub fn new(case_sensitive: bool) -> Self {
        Extras {
            case_sensitive,
            unicode: false,
            server_id: None,
            deadline_ns: 1,
            worker: None,
            depots: Vec::new(),
        }
    }
}

/// The index contains file offsets, which depend on the length of the index itself; therefore the
/// front of the file is encoded twice.
#[must_use]
pub fn encode(policy: &Policy, extras: &Extras) -> Vec<u8> {
    let blocks = Blocks::of(policy, &extras.depots);
    let front_bytes = front(policy, extras, &blocks, 0).len();
    let front = front(policy, extras, &blocks, PREFIX_BYTES + front_bytes);
    let mut file = Writer::default();
    file.raw(&MAGIC).u64((PREFIX_BYTES + front_bytes + blocks.bytes.len()) as u64);
    file.u32(u32::try_from(front_bytes).unwrap_or(u32::MAX)).u64(checksum(&front));
    file.raw(&front).raw(&blocks.bytes);
    file.0
}

/// Equal blocks are stored once, because many commands have the same exemptions.
#[derive(Default)]
struct Blocks {
    bytes: Vec<u8>,
    offsets: HashMap<Vec<u8>, usize>,
    commands: Vec<(Vec<u8>, [PlacedBlock; 2])>,
    depots: PlacedBlock,
}

/// Offset in bytes from the end of the file's front, and the encoded bytes.
type PlacedBlock = (usize, Vec<u8>);

impl Blocks {
    fn of(policy: &Policy, depots: &[u8]) -> Self {
        let mut blocks = Blocks::default();
        blocks.depots = blocks.place(depots.to_vec());
        let mains = policy.rules.iter().flat_map(|rule| rule.commands.iter().map(main_of));
        for main in mains.collect::<BTreeSet<_>>() {
            let [rules, exemptions] = of_command(policy, main);
            let blocks_of_command = [blocks.place(rules), blocks.place(exemptions)];
            blocks.commands.push((main.to_vec(), blocks_of_command));
        }
        blocks
    }

    fn place(&mut self, block: Vec<u8>) -> PlacedBlock {
        let end = self.bytes.len();
        let offset = *self.offsets.entry(block.clone()).or_insert(end);
        if offset == end {
            self.bytes.extend_from_slice(&block);
        }
        (offset, block)
    }
}

fn front(policy: &Policy, extras: &Extras, blocks: &Blocks, after: usize) -> Vec<u8> {
    let mut front = Writer::default();
    front.u8(policy.deny_on_error.into()).u8(extras.case_sensitive.into());
    front.u8(extras.unicode.into());
    match policy.thresholds {
        None => front.raw(&[0, 0, 0]),
        Some(thresholds) => front.raw(&[1, thresholds.medium, thresholds.high]),
    };
    front.u64(extras.deadline_ns).text(&policy.digest).text(&policy.contact);
    front.optional_text(policy.help_url.as_deref()).optional_text(extras.worker.as_deref());
    front.optional_text(extras.server_id.as_deref());
    point_to(&mut front, &blocks.depots, after);
    for (name, blocks_of_command) in &blocks.commands {
        front.bytes(name);
        blocks_of_command.iter().for_each(|block| point_to(&mut front, block, after));
    }
    front.0
}

fn point_to(front: &mut Writer, (offset, block): &PlacedBlock, after: usize) {
    front.u64((after + offset) as u64);
    front.u32(u32::try_from(block.len()).unwrap_or(u32::MAX)).u64(checksum(block));
}

fn of_command(policy: &Policy, main: &[u8]) -> [Vec<u8>; 2] {
    let (mut rules, mut exemptions) = (Writer::default(), Writer::default());
    let concerned: Vec<_> = policy
        .rules
        .iter()
        .filter(|rule| rule.commands.iter().any(|c| main_of(c) == main))
        .collect();
    let concerns = |e: &&Exemption| concerned.iter().any(|rule| lets_pass(e, rule));
    let relevant: Vec<_> = policy.exemptions.iter().filter(concerns).collect();
    for entry in &relevant {
        exemptions.bytes(&exemption(entry));
    }
    rules.u16(u16::try_from(concerned.len()).unwrap_or(u16::MAX));
    concerned.iter().for_each(|entry| rule(&mut rules, entry, main, &relevant));
    [rules.0, exemptions.0]
}

fn lets_pass(exemption: &Exemption, rule: &Rule) -> bool {
    exemption.rules.as_ref().is_none_or(|names| names.contains(&rule.name))
}

fn main_of(command: &String) -> &[u8] {
    resolve_name(command.as_bytes()).main_name
}

/// Such as `-k` for `sync` if the rule names only `flush`; empty if it covers any arguments.
fn required_words(rule: &Rule, main: &[u8]) -> Vec<u8> {
    let names = rule.commands.iter().map(|command| resolve_name(command.as_bytes()));
    let mut additions: Vec<_> =
        names.filter(|name| name.main_name == main).map(|name| name.addition).collect();
    if additions.contains(&"") {
        additions.clear();
    }
    let mut to = Writer::default();
    additions.into_iter().for_each(|addition| {
        to.text(addition);
    });
    to.0
}

fn rule(to: &mut Writer, rule: &Rule, main: &[u8], exemptions: &[&Exemption]) {
    let mut indexes = Writer::default();
    for (index, exemption) in (0..).zip(exemptions) {
        if lets_pass(exemption, rule) {
            indexes.u16(index);
        }
    }
    let (number, settings) = settings(rule);
    to.u8(number);
    modes::write(to, &rule.mode);
    to.text(&rule.name)
        .optional_text(rule.advice.as_deref())
        .bytes(&indexes.0)
        .bytes(&required_words(rule, main))
        .bytes(&settings);
}

fn settings(rule: &Rule) -> (u8, Vec<u8>) {
    let mut to = Writer::default();
    let number = match &rule.kind {
        Kind::Rate(settings) => {
            rates::write(&mut to, &rule.name, settings);
            rules::RATE
        }
        Kind::Scope(settings) => {
            scope::write(&mut to, settings);
            rules::SCOPE
        }
        Kind::ScanLimits(settings) => {
            scan_limits::write(&mut to, settings);
            rules::SCANNED
        }
        Kind::Program(settings) => {
            programs::write(&mut to, settings);
            rules::PROGRAM
        }
    };
    (number, to.0)
}

fn exemption(exemption: &Exemption) -> Vec<u8> {
    let mut to = Writer::default();
    for patterns in [&exemption.users, &exemption.groups, &exemption.clients, &exemption.programs] {
        Patterns::write(&mut to, patterns.as_deref());
    }
    to.optional_text(exemption.until.as_deref());
    to.text(&exemption.reason).text(&exemption.owner);
    to.0
}
