//! The report of a replay as JSON.

use super::Replay;
use super::budget_history::{BudgetHistory, RECORDS_PER_INTERVAL};
use super::compared_estimates::ComparedEstimates;
use super::estimate::Estimate;
use super::history::{History, INTERVALS_MS, RequestCounts, Senders};
use super::names::Names;
use super::policy_run::PolicyVerdict;
use super::saved_usage::SavedUsage;
use super::tally::{Tally, User};
use crate::record::command::Command;
use crate::record::counts::Counts;
use p4warden_gate::base::json::Object;
use p4warden_gate::base::text::{decoded, seconds};
use p4warden_gate::judge::command_outcome::Verdict;
use serde_json::{Map, Value, json};
use std::collections::{BTreeMap, HashMap};

/// Names with the most commands come first.
const MAX_LISTED: usize = 200;
const SECOND_NS: u64 = 1_000_000_000;
const QUARTER_S: u64 = 900;

pub(super) fn verdict_line(
    to: &mut String,
    command: &Command,
    now_ns: u64,
    policy_verdict: &PolicyVerdict<'_>,
) {
    let mut object = Object::new(to);
    object.number("line", command.line).raw("time", &seconds(now_ns));
    object
        .short_text("user", command.request.user())
        .short_text("client", command.request.client());
    object
        .short_text("command", command.request.command())
        .text("verdict", policy_verdict.verdict.word());
    object
        .maybe("rule", policy_verdict.rule)
        .maybe("would", policy_verdict.enforced_verdict.map(Verdict::word))
        .finish();
    to.push('\n');
}

pub(super) fn document(replay: &Replay<'_>, counts: &Counts, problems: &[String]) -> Value {
    let rule_names: Vec<_> = replay.first_run.tallies.iter().map(|(name, _)| *name).collect();
    let rules = replay.first_run.tallies.iter();
    let rules = rules.map(|(name, tally)| rule(name, tally, replay.waiting_effect(name)));
    json!({
        "read": read(counts, replay.bytes),
        "problems": problems,
        "from": replay.times_ns.map(|(from_ns, _)| from_ns / SECOND_NS),
        "until": replay.times_ns.map(|(_, until_ns)| until_ns / SECOND_NS),
        "groups_known": replay.groups.is_some(),
        "judged": replay.first_run.judged_count,
        "rules": rules.collect::<Vec<_>>(),
        "shares": replay.shares.document(&rule_names),
        "saved": saved_usage(&replay.saved_usage),
        "waited_for": {
            "waits": replay.contention.waits,
            "waited_ms": replay.contention.waited_ms,
            "left_out": replay.contention.omitted_count,
        },
        "compare": replay.second_run.as_ref().map(|_| json!({
            "pairs": pairs(&replay.comparison.pairs),
            "newly_stopped": names(&replay.comparison.newly_stopped_users),
            "newly_passed": names(&replay.comparison.newly_passed_users),
        })),
        "history": replay.history.as_ref().map(history),
        "budget": replay.budget_history.as_ref().map(budget),
        "compared_estimates": replay.compared_estimates.as_ref().map(ComparedEstimates::document),
    })
}

fn read(counts: &Counts, bytes: u64) -> Value {
    let examples = counts.examples.iter();
    let examples = examples.map(|one| json!({"line": one.line, "text": decoded(&one.text)}));
    json!({
        "bytes": bytes,
        "lines": counts.lines,
        "commands": counts.commands,
        "without_start": counts.without_start,
        "without_end": counts.without_end,
        "unknown": counts.unknown_lines,
        "without_command": counts.without_command,
        "examples": examples.collect::<Vec<_>>(),
        "too_long": counts.long_lines,
        "evicted": counts.evicted_commands,
    })
}

fn rule(name: &str, tally: &Tally, wait_effect: Option<Value>) -> Value {
    let verdicts = verdict_counts(tally.verdicts);
    json!({
        "name": name,
        "judged": tally.judged_count,
        "verdicts": verdicts,
        "hang_on_groups": tally.hang_on_groups,
        "delayed_s": tally.delayed_ns as f64 / SECOND_NS as f64,
        "would": {
            "delay": tally.effect_if_enforced.delay_count,
            "delay_s": tally.effect_if_enforced.delay_ns as f64 / SECOND_NS as f64,
            "refuse": tally.effect_if_enforced.refusal_count,
        },
        "if_processes_wait": wait_effect,
        "first": tally.times_ns.map(|(first_ns, _)| first_ns / SECOND_NS),
        "last": tally.times_ns.map(|(_, last_ns)| last_ns / SECOND_NS),
        "people": tally.users.len(),
        "users": users(&tally.users),
        "clients": names(&tally.clients),
        "programs": names(&tally.programs),
        "classes": names(&tally.classes),
        "unknown_forms": names(&tally.unknown_forms),
        "offenders": names(&tally.offenders),
        "quarters": tally.quarters.iter()
            .map(|(quarter, count)| (quarter * QUARTER_S, *count))
            .collect::<BTreeMap<u64, u64>>(),
        "saved": saved_usage(&tally.saved_usage),
    })
}

fn verdict_counts(verdicts: [u64; 5]) -> Map<String, Value> {
    let verdicts = Verdict::ALL.iter().zip(verdicts);
    verdicts.map(|(verdict, count)| (verdict.word().to_owned(), json!(count))).collect()
}

/// If processes wait while they are delayed.
pub(super) fn waiting_effect(estimate: &Estimate<'_>, name: &str) -> Value {
    let wait_counts = estimate.rules.get(name).copied().unwrap_or_default();
    let mut verdicts = verdict_counts(wait_counts.verdicts);
    verdicts.retain(|word, _| ["observe", "delay", "refuse"].contains(&word.as_str()));
    json!({
        "verdicts": verdicts,
        "delayed_s": wait_counts.delayed_ns as f64 / SECOND_NS as f64,
        "left_out": estimate.omitted_count,
    })
}

fn users(users: &HashMap<Vec<u8>, User>) -> Vec<Value> {
    let mut users: Vec<_> = users.iter().collect();
    users.sort_by(|(one, a), (other, b)| b.hit_count.cmp(&a.hit_count).then(one.cmp(other)));
    let one = |(name, user): (&Vec<u8>, &User)| {
        json!({
            "name": decoded(name),
            "hit": user.hit_count,
            "first": user.first_ns / SECOND_NS,
            "last": user.last_ns / SECOND_NS,
            "streak": user.longest_streak.count,
            "streak_from": user.longest_streak.from_ns / SECOND_NS,
            "streak_s": (user.longest_streak.until_ns.saturating_sub(user.longest_streak.from_ns)) / SECOND_NS,
        })
    };
    users.into_iter().take(MAX_LISTED).map(one).collect()
}

fn names(names: &Names) -> Value {
    let mut ranking: Vec<_> = names.counts.iter().collect();
    ranking.sort_by(|(one, a), (other, b)| b.cmp(a).then(one.cmp(other)));
    let total = ranking.iter().map(|(_, count)| **count).sum::<u64>() + names.other_count;
    let top = ranking.iter().take(MAX_LISTED);
    json!({
        "total": total,
        "names": names.counts.len(),
        "top": top.map(|(name, count)| json!([decoded(name), count])).collect::<Vec<_>>(),
    })
}

fn saved_usage(saved: &SavedUsage) -> Value {
    json!({
        "commands": saved.commands,
        "failed": saved.failed_count,
        "with_lapse": saved.with_lapse,
        "lapse_s": saved.lapse_ns as f64 / SECOND_NS as f64,
        "with_usage": saved.with_usage,
        "processor_s": saved.processor_ms as f64 / 1e3,
        "held_s": saved.held_ms as f64 / 1e3,
        "peeked_s": saved.peeked_ms as f64 / 1e3,
        "triggers_s": saved.triggers_ns as f64 / SECOND_NS as f64,
    })
}

fn pairs(pairs: &[[u64; 5]; 5]) -> Vec<Value> {
    let rows = Verdict::ALL.iter().zip(pairs);
    let cells = rows.flat_map(|(first, row)| {
        Verdict::ALL.iter().zip(row).map(move |(second, count)| (first, second, count))
    });
    let some = cells.filter(|(_, _, count)| **count > 0);
    some.map(|(first, second, count)| json!([first.word(), second.word(), count])).collect()
}

fn history(history: &History) -> Value {
    let mut commands: Vec<_> = history.requests.iter().collect();
    commands.sort_by_key(|(name, _)| *name);
    let commands: Map<String, Value> = commands
        .into_iter()
        .map(|(command, senders)| (decoded(command).into_owned(), requests(senders)))
        .collect();
    json!({"intervals_ms": INTERVALS_MS, "left_out": history.omitted_count, "commands": commands})
}

fn budget(history: &BudgetHistory) -> Value {
    let commands = history.commands.iter().map(|(command, counts)| {
        (decoded(command).into_owned(), json!([counts.count, counts.unknown_count]))
    });
    json!({
        "intervals_ms": INTERVALS_MS,
        "records_per_interval": RECORDS_PER_INTERVAL,
        "left_out": history.history.omitted_count,
        "commands": commands.collect::<Map<_, _>>(),
        "users": history.senders().map_or(json!([]), requests),
    })
}

fn requests(senders: &Senders) -> Value {
    let mut rows: Vec<_> = senders
        .iter()
        .flat_map(|(class, users)| users.iter().map(move |(user, counts)| (class, user, counts)))
        .collect();
    rows.sort_by_key(|(class, user, _)| (*class, *user));
    let row = |(class, user, requests): (&Vec<u8>, &Vec<u8>, &RequestCounts)| {
        let class = Some(decoded(class)).filter(|class| !class.is_empty());
        let RequestCounts { count, bursts, most_at_once, without_end, .. } = requests;
        json!([decoded(user), count, bursts, class, most_at_once, without_end])
    };
    rows.into_iter().map(row).collect()
}
