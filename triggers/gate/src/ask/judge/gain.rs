//! The question what the rules `limit_view_scope` about clients would gain: `{"ask": "gain"}`, to a
//! judge with an index. Rules are judged as if enforced for everyone, without exemptions.
//!
//! The answer is `{"rules": [{"rule", "clients", "judged", "refused", "files", "saved",
//! "is_worth_it", "below", "directories", "widest", "widest_files", "better"}]}`. `refused` of the
//! `judged` clients span `files`, of which the widest allowed views do not span `saved`. `below`,
//! `directories` and `widest` (or null) tell why: the widest of the directories below a path.
//! `better` is null or a setting that saves more: `{"setting", "value", "refused", "files",
//! "saved"}`.

use super::Judge;
use crate::base::json::{Object, object_text};
use crate::base::text::decoded;
use crate::judge::rule_gain::{Better, Clients, Gain, Tally, rules_about_clients};

pub(super) fn answer(judge: &Judge<'_>, to: &mut String) -> Result<(), String> {
    let index = judge.index.as_ref().ok_or("the question about gain needs an index")?;
    let problem = |problem| format!("the index: {problem}");
    let clients = Clients::of(index, judge.policy.case_sensitive()).map_err(problem)?;
    let mut gains = Vec::new();
    for (name, settings) in rules_about_clients(&judge.policy.policy)? {
        gains.push((name, clients.gain(&settings).map_err(problem)?));
    }
    let mut object = Object::new(to);
    object.list("rules", &gains, |object, (name, gain)| write(object, name, gain));
    object.finish();
    Ok(())
}

fn write(to: &mut Object<'_>, name: &str, gain: &Gain) {
    to.text("rule", name).number("clients", gain.clients).number("judged", gain.judged);
    write_tally(to, gain.tally);
    to.raw("is_worth_it", if gain.is_worth_it() { "true" } else { "false" });
    let widest = gain.widest.as_ref();
    to.maybe("below", widest.map(|(level, _)| decoded(&level.below)).as_deref());
    to.maybe_number("directories", widest.map(|(_, widest)| widest.directories));
    to.maybe("widest", widest.map(|(_, widest)| decoded(&widest.path)).as_deref());
    to.maybe_number("widest_files", widest.map(|(_, widest)| widest.files));
    let (setting, value, tally) = match gain.better {
        None => {
            to.raw("better", "null");
            return;
        }
        Some(Better::MinDepth(value, tally)) => ("min_depth", value, tally),
        Some(Better::MaxFiles(value, tally)) => ("max_files", value, tally),
    };
    let better = object_text(|object| {
        object.text("setting", setting).number("value", value);
        write_tally(object, tally);
    });
    to.raw("better", &better);
}

fn write_tally(to: &mut Object<'_>, tally: Tally) {
    to.number("refused", tally.refused).number("files", tally.files);
    to.number("saved", tally.saved);
}
