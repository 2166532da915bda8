use crate::record::command::{Archive, Estimates, Proxy, Rpc, Trigger};
use crate::record::request::Request;
use crate::record::tables::Table;
use p4warden_gate::base::json::{Object, object_text, quote};
use p4warden_gate::base::text::{decoded, seconds};

pub(super) const USAGE: [&str; 8] = [
    "user_ms", "system_ms", "blocks_in", "blocks_out", "received", "sent", "rss_kb", "page_faults",
];
pub(super) const FILES: [&str; 4] = ["sent", "sent_mb", "received", "received_mb"];
const PROXY: [&str; 4] = ["server_files", "cache_files", "server_bytes", "cache_bytes"];
const PROXY_FAULTS: [&str; 5] = ["faults", "fault_mb", "others", "flushes", "cached"];
const RPC: [&str; 6] = ["in", "out", "in_mb", "out_mb", "send_mark", "receive_mark"];
const ESTIMATES: [&str; 5] =
    ["files_added", "files_updated", "files_deleted", "bytes_added", "bytes_updated"];
const LOCKS: [&str; 4] = ["read_wait_ms", "read_held_ms", "write_wait_ms", "write_held_ms"];
const LONGEST: [&str; 4] =
    ["max_read_wait_ms", "max_read_held_ms", "max_write_wait_ms", "max_write_held_ms"];
const USES: [&str; 7] =
    ["read_locks", "write_locks", "get_rows", "pos_rows", "scan_rows", "put_rows", "del_rows"];
const PEEKS: [&str; 5] =
    ["peeks", "peek_wait_ms", "peek_held_ms", "max_peek_wait_ms", "max_peek_held_ms"];

pub(super) struct Line<'t> {
    pub object: Object<'t>,
}

impl<'t> Line<'t> {
    pub fn new(to: &'t mut String, record: &str, line: u64) -> Self {
        let mut object = Object::new(to);
        object.text("record", record).number("line", line);
        Line { object }
    }

    pub fn request(&mut self, request: &Request) {
        let parts = [
            ("user", request.user()),
            ("client", request.client()),
            ("ip", request.ip()),
            ("via", request.via()),
            ("prog", request.prog()),
            ("version", request.version()),
            ("command", request.command()),
        ];
        for (name, part) in parts {
            if let Some(part) = part {
                text(&mut self.object, name, part);
            }
        }
        self.flag("brokered", request.is_brokered);
        if request.command().is_some() {
            self.args(request);
        }
    }

    /// Split at each blank, because the log does not mark where an argument ends.
    pub fn args(&mut self, request: &Request) {
        let mut args = String::from("[");
        let words = request.args().split(|byte| *byte == b' ');
        for word in words.filter(|_| !request.args().is_empty()) {
            args.push_str(if args.len() > 1 { ", " } else { "" });
            quote(&mut args, &decoded(word));
        }
        args.push(']');
        self.object.raw("args", &args);
        self.flag("args_cut", request.is_cut);
        if let Some(left_out) = request.omitted_arguments {
            self.object.number("args_left_out", left_out);
        }
    }

    pub fn time(&mut self, name: &str, ns: Option<u64>) -> &mut Self {
        if let Some(ns) = ns {
            self.object.raw(name, &seconds(ns));
        }
        self
    }

    pub fn flag(&mut self, name: &str, is_so: bool) -> &mut Self {
        if is_so {
            self.object.raw(name, "true");
        }
        self
    }

    pub fn numbers<const N: usize>(&mut self, names: &[&str; N], values: Option<&[i64; N]>) {
        numbers(&mut self.object, names, values);
    }

    pub fn nested_numbers<const N: usize>(
        &mut self,
        name: &str,
        names: &[&str; N],
        values: Option<&[i64; N]>,
    ) {
        if values.is_some() {
            self.object.raw(name, &object_text(|object| numbers(object, names, values)));
        }
    }

    pub fn rpc(&mut self, name: &str, rpc: Option<&Rpc>) -> &mut Self {
        let Some(rpc) = rpc else {
            return self;
        };
        let inner = object_text(|object| {
            numbers(object, &RPC, Some(&rpc.counts));
            if let Some([send, receive]) = rpc.blocked_ns {
                object.raw("send_s", &seconds(send)).raw("receive_s", &seconds(receive));
            }
        });
        self.object.raw(name, &inner);
        self
    }

    pub fn estimates(&mut self, estimates: Option<&Estimates>) {
        let Some(estimates) = estimates else {
            return;
        };
        let inner = object_text(|object| {
            numbers(object, &ESTIMATES, Some(&estimates.counts));
            object.raw("sure", if estimates.is_unsure { "false" } else { "true" });
        });
        self.object.raw("estimates", &inner);
    }

    pub fn proxy(&mut self, proxy: Option<&Proxy>) {
        let Some(proxy) = proxy else {
            return;
        };
        let inner = object_text(|object| {
            numbers(object, &PROXY, proxy.totals.map(|counts| counts.map(signed_count)).as_ref());
            numbers(object, &PROXY_FAULTS, proxy.faults.as_ref());
        });
        self.object.raw("proxy", &inner);
    }

    pub fn list<T>(&mut self, name: &str, entries: &[T], fill: impl Fn(&mut Object<'_>, &T)) {
        if !entries.is_empty() {
            self.object.list(name, entries, fill);
        }
    }
}

pub(super) fn table(object: &mut Object<'_>, name: &[u8], table: &Table) {
    text(object, "name", name);
    numbers(object, &["pages_in", "pages_out", "pages_cached"], table.pages.as_ref());
    numbers(object, &["split_internal", "split_leaf"], table.splits.as_ref());
    numbers(object, &USES, table.uses.as_ref());
    numbers(object, &LOCKS, table.total_ms.as_ref());
    numbers(object, &LONGEST, table.max_ms.as_ref());
    numbers(object, &PEEKS, table.peeks.as_ref());
}

pub(super) fn archive(object: &mut Object<'_>, archive: &Archive) {
    text(object, "kind", &archive.kind);
    numbers(object, &["opens", "closes", "checkins", "exists"], archive.opens.as_ref());
    let bytes = archive.bytes.map(|bytes| bytes.map(signed_count));
    numbers(object, &["reads", "read_bytes", "writes", "written_bytes"], bytes.as_ref());
    numbers(object, &["digests", "sizes", "times", "copies"], archive.digests.as_ref());
}

pub(super) fn trigger(object: &mut Object<'_>, trigger: &Trigger) {
    text(object, "name", &trigger.name);
    if let Some(lapse_ns) = trigger.lapse_ns {
        object.raw("lapse_s", &seconds(lapse_ns));
    }
}

fn signed_count(count: u64) -> i64 {
    i64::try_from(count).unwrap_or(i64::MAX)
}

fn numbers<const N: usize>(object: &mut Object<'_>, names: &[&str; N], values: Option<&[i64; N]>) {
    for (name, value) in names.iter().zip(values.into_iter().flatten()) {
        signed_number(object, name, *value);
    }
}

pub(super) fn signed_number(object: &mut Object<'_>, name: &str, value: i64) {
    object.raw(name, &value.to_string());
}

pub(super) fn text(object: &mut Object<'_>, name: &str, value: &[u8]) {
    object.text(name, &decoded(value));
}
