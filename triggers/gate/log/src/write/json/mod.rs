//! Values absent from the log are omitted. Bytes that are not UTF-8 are replaced by the text
//! `\x..`, so that every JSON parser accepts the line. Points in time, and fields whose names end
//! in `_s`, are exact decimal seconds.

mod parts;

use crate::record::command::Command;
use crate::record::counts::Counts;
use crate::record::sink::{Event, EventKind};
use p4warden_gate::base::json::Object;
use parts::{FILES, Line, USAGE, archive, signed_number, table, text, trigger};

pub fn command(to: &mut String, command: &Command) {
    let mut line = Line::new(to, "command", command.line);
    line.object.number("pid", command.pid);
    line.time("start", command.start_ns).time("end", command.end_ns());
    line.request(&command.request);
    line.time("lapse_s", command.lapse_ns).time("compute_s", command.compute_ns);
    if command.compute_count > 1 {
        line.object.number("computes", command.compute_count.into());
    }
    line.time("paused_s", command.paused_ns);
    line.numbers(&USAGE, command.usage.as_ref());
    line.numbers(&["memory_mb", "process_memory_mb"], command.memory_mb.as_ref());
    line.rpc("rpc", command.rpc.as_ref()).rpc("upstream", command.upstream.as_ref());
    line.nested_numbers("files", &FILES, command.files.as_ref());
    line.nested_numbers("client_files", &FILES, command.client_files.as_ref());
    line.estimates(command.estimates.as_ref());
    if command.tables.count() > 0 {
        let tables = command.tables.iter();
        line.object.list("tables", tables, |object, (name, one)| table(object, name, one));
    }
    line.list("archives", &command.archives, archive);
    line.proxy(command.proxy.as_ref());
    line.list("triggers", &command.triggers, trigger);
    line.list("errors", &command.errors, |object, error| text(object, "text", error));
    line.flag("fatal", command.is_fatal).flag("unauthenticated", command.is_unauthenticated);
    line.flag("died", command.has_died).flag("running", command.is_running == Some(true));
    if !command.ident.is_empty() {
        text(&mut line.object, "ident", &command.ident);
    }
    line.object.finish();
    to.push('\n');
}

pub fn event(to: &mut String, event: &Event<'_>) {
    let mut line = Line::new(to, "event", event.line);
    line.time("time", event.time_ns);
    if let Some(pid) = event.pid {
        line.object.number("pid", pid);
    }
    let object = &mut line.object;
    match &event.kind {
        EventKind::Started => object.raw("started", "true"),
        EventKind::ActiveThreads(threads) => object.number("active_threads", *threads),
        EventKind::PausedThreads(threads) => object.number("paused_threads", *threads),
        EventKind::Pressure { rates: [cpu_rate, mem_rate], levels: [cpu, mem] } => {
            signed_number(object, "pause_rate_cpu", *cpu_rate);
            signed_number(object, "pause_rate_mem", *mem_rate);
            signed_number(object, "pressure_cpu", *cpu);
            signed_number(object, "pressure_mem", *mem);
            object
        }
        EventKind::Error { operation, text: error } => {
            text(object, "operation", operation);
            text(object, "error", error);
            object
        }
    };
    line.object.finish();
    to.push('\n');
}

pub fn counts(to: &mut String, counts: &Counts, bytes: u64) {
    let mut object = Object::new(to);
    object.text("record", "counts").number("bytes", bytes).number("lines", counts.lines);
    object.number("commands", counts.commands).number("without_start", counts.without_start);
    object.number("without_end", counts.without_end).number("events", counts.events);
    object
        .number("passed_over", counts.unused_lines)
        .number("without_command", counts.without_command);
    object.number("unknown", counts.unknown_lines);
    object.list("examples", &counts.examples, |object, example| {
        object.number("file", example.file.into()).number("line", example.line);
        text(object, "text", &example.text);
    });
    object
        .number("too_long", counts.long_lines)
        .number("evicted", counts.evicted_commands)
        .finish();
    to.push('\n');
}
