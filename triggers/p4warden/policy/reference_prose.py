START = """\
# Policy reference

<!-- Written by `make docs` from the schema and the rules; edit those. -->

A policy is one YAML file.

```yaml
version: 1
contact: "Perforce admins <p4-admins@example.com>"
on_error: allow                     # the answer when p4warden itself fails: allow or deny
exemptions:
  # By group, because a user's name can be forged.
  - {groups: [perforce-admins], reason: administration, owner: scm-team}
  - groups: [build-farm]
    rules: [fstat-polling]
    reason: moves to the replica
    owner: ci-team
    until: 2027-03-31
rules:
  - name: no-whole-depot            # the name that users see
    rule: limit_view_scope
    mode: enforce                   # off, observe (logged, nobody stopped) or enforce
    canary: [{groups: [perforce-team]}]   # enforced for these first, observed for everyone else
    min_depth: 1                    # directories that each view line names below the depot
    depots: {thirdparty: 2}         # two in this depot
  - name: fstat-polling
    rule: limit_command_rate
    mode: observe
    commands: [fstat]
    limits:
      - {per: [user], allow: 50/s,   burst: 500}
      - {per: [user], allow: 1500/h, burst: 6500}   # one a second is found within a working day
```

- `p4warden check POLICY` reports every mistake in it, with line and column.
- `p4warden test POLICY` runs its test cases, as in `policies/default.cases.yaml`.
- `p4warden explain` shows how every rule and every exemption judges one event, and why: a command
  as typed (`--typed "p4 files //depot/..."`), a spec on the server (`--spec client:NAME`), or a
  line of the decision log (`--decision -1`).
- `p4warden activate POLICY` puts it into effect. An edited file changes nothing until then.

An editor that supports YAML schemas completes and checks the file as you type. Write the schema
of your release to a file with `p4warden schema > policy.schema.json`, and name it in the first
line of the policy:

    # yaml-language-server: $schema=policy.schema.json

A schema covers only the structure. Mistakes in meaning, such as a rate that no request can keep
or an exemption for a rule that does not exist, are reported by `p4warden check` alone.
`policy.schema.json` beside this page is the same schema.

A setting that is not *needed* and has no default has no effect unless it is written.

Each kind of rule has a page: who is hurt without it, a refusal, what to write instead, the
vendor's own levers, known false refusals, and its settings. `p4warden schema --rule NAME` prints
that page without the refusal.

"""

SELECTORS = """\
A selector says for whom, where and when: it is the `for` of a rule, an entry of `canary`, a class,
and the fields of an exemption. It matches an event if every field written in it matches; a field
matches if any of its values does. In a pattern, `*` stands for any text and `?` for one character.
Patterns ignore case where the server does.

```yaml
classes:
  builds: {groups: [build-farm], not: {servers: [edge-*]}}
rules:
  - {name: build-polling, rule: limit_command_rate, mode: enforce, for: {classes: [builds]}, ...}
```

A fact that p4d does not tell is unknown, for example the groups on a server before 2014.1, or the
server where nobody has set `p4 serverid`. A field that needs it is then neither matched nor
unmatched, also within `not`. A rule whose selector is unknown gives the verdict `unknown`, which
allows; `explain` and `evaluate` name the reason. An exemption or a canary does not apply.

Groups and servers are facts of p4d. Users choose the names of clients and programs, and below
security level 3 also user names; `check` warns where such a name, or the address alone, decides.

"""

HOURS = """\
`activate` writes the changes of each zone's clock for ten years into the compiled policy, so that
no decision reads a file of time zones; `doctor` warns when they differ from those of the machine.
Activate the policy again then. A refusal by a rule with hours says when the rule ends.

"""

EXEMPTIONS = """\
An exemption has the fields of a selector, at least one of them, and those below. Exemptions are
evaluated before the rules, so no rule can refuse an exempt account.

"""

BASELINE = """\
### baseline

`p4warden census --write-baseline` records the existing violations: for every rule, whatever its
mode, the findings in every client, stream, branch, label and depot of the server. The record is
`baseline.json` in the home folder. A rule with `baseline: true` then only observes a recorded
violation, and refuses a new or worse one:

- The text of each offending line is recorded. Its position, the number of lines and the rest of
  the spec (the Description, the Root, lines without a violation) may change.
- For a measurement of a whole view (the number of include lines, of paths with `...` in the
  middle, of top directories) the value is recorded.
- A spec with the recorded violations, or some of them, can be saved; the verdict is `observe`.
- A line that is not in the record is new, even if it is narrower than a recorded one. A value
  further above its limit than the recorded one is worse. Both are refused, and the refusal names
  only the lines and values that are new or worse.
- A record belongs to a rule's name in the policy and to the type and name of a spec. A renamed
  rule has no records, and a client that is deleted and created again under its old name keeps
  them.
- Violations covered by an exemption at the time of the census are not recorded.

`baseline_until: 2027-03-31` ends it: from the next day on recorded violations are refused as
well. `p4warden check` warns during the month before.

A new census replaces the record, so a violation that was fixed in the meantime cannot come back.
Without a record, a form judged by such a rule gets the `on_error` answer, as with any missing
file of p4warden; `p4warden activate` and `doctor` report the missing record.

"""

OBSERVING = """\
### Reports of a rule that observes

A rule in `observe`, or one with a canary that does not include the user, stops nothing. The log,
`evaluate` and `replay` show the verdict that it would give if it alone were enforced, for the
commands in their actual order: `delay`, with the time, or `refuse`. Rules about forms and submits
would refuse.

- Enforced rules that apply to a command decide first. If one of them refuses it, no rule counts
  the command towards its limits.
- Otherwise every rule counts the command, enforced or observing, unless that rule itself refuses
  it or would refuse it. A delayed command counts like any other.
- A command that an observing rule would delay takes a place in a queue of that rule alone, for up
  to 32 such rules at once. It takes no place from a command that really waits.

After a real delay, the next command of the same process comes later. A log recorded while a rule
observed therefore overstates the refusals. `p4warden replay` shows two figures: one for the
commands in their recorded order, and an estimate with delayed processes.

"""

NAMES = """\
### Command names and synonyms

A rule about a command covers all its synonyms: with `changes` in `commands`, `p4 changelists` is
judged and counted as well. Some names stand for a command with an option or a word. They are
treated as that command: a rule about `sync` covers `flush`, and a rule about `flush` covers `sync
-k`. Trigger lines list every name, because it is not documented whether p4d renames a command
before it starts a trigger. A rule that depends on an option makes the trigger line pass `%args%`.
On a server that passes `flush` as `sync` without the `-k`, a rule about `flush` alone cannot
recognise it; `p4warden check` warns of this.

| name | same as |
|---|---|
"""

ARGUMENTS = """\
### Rules that need arguments

`mode: observe` stops nobody, with one exception: rules that need the *arguments* of commands
(`limit_command_scope`, `limit_scanned_rows`, and limits `per: [args]` or `[shape]`). p4d passes
the arguments as one word of the trigger line, Linux starts no program with a word of over 128
KiB, and p4d refuses a command whose trigger does not start, whatever `mode` and `on_error` say.
The plug-ins of Unreal and Unity send the paths of all files in one `fstat`: about 1,300 pass,
1,500 are refused. `default`, `observe-everything` and the draft of `init` therefore have no such
rule; `observe-arguments` has them, and `init` writes them as comments. `p4warden replay`
rehearses them from a log; `check`, `activate` and `deploy plan` name them.

With `triggers.io=1` p4d writes the arguments to the trigger's standard input, and no length is
refused (inferred; `p4warden prove` asks your p4d). `p4warden off` does not help such a command;
`p4warden deploy uninstall` does. Every line passes the names of the user's groups as one word,
too: nobody should be in groups whose names add up to 128 KiB (1,500 names of 90 characters).

"""

CASES = """\
## The cases of a policy

`POLICY.cases.yaml` beside a policy lists events with the expected verdict of each; `p4warden test
POLICY` runs them. A case describes its event in one of four ways: `view` (lines of a client's
view), `form` (a whole form, with its `type`), `command` with `args`, or `files` (the files of a
submit). `shows` tests the form that a user is shown instead of one that is saved: the listed
fields must have these values (`shows: null` means unchanged). The cases of a file form one
sequence: rates carry over from case to case, and `at` is a case's time in seconds after the
first.

```yaml
facts:                                # facts about the server; a case may have its own
  depots:
    depot: {type: local, directories: [main, rel]}
cases:
  - name: a whole depot
    view: ["//depot/... //ws/..."]
    user: ann
    groups: [dev]
    verdict: refuse                   # allow, observe, unknown, delay or refuse
    rule: no-whole-depot              # optional: the rule that gives the verdict
  - name: a stream that imports a whole depot
    type: stream
    form: "Stream:\\t//streams/main\\n\\nPaths:\\n\\timport all/... //depot/...\\n"
    verdict: refuse
  - name: a new client
    form: "Client:\\tws\\n\\nView:\\n\\t//depot/... //ws/...\\n"
    shows: {View: ["//depot/main/... //ws/main/..."]}
    verdict: allow
  - name: an old P4V that polls
    command: fstat
    args: ["//depot/main/..."]        # or unknown, as in a log without arguments
    program: P4V
    version: "2015.1"
    pressure: high                    # low, medium, high or unknown
    lock_waiters: 5                   # or unknown
    at: 2.5
    verdict: delay
  - name: a new file on a long path
    files: ["add //depot/a/long/path/to/a/file.c", "edit //depot/main/a.c"]
    verdict: refuse
```
"""

EVENTS = """\

## Events

An event is a JSON object, read by `p4warden explain FILE` (one event) and by `p4warden evaluate`
(one per line). Leave out keys without a value; unknown keys are ignored.

| key | value |
|---|---|
| `event` | `form-save`, `form-out`, `command`, `running`, `change-submit` or `shelve-submit` |
| `type`, `name`, `form` | of a form: its type (`client`, `stream` ...), its name, its whole text |
| `command`, `args` | of a `command` or `running` one: name, its words, `["-m", "1", "//..."]` |
| `change`, `files` | of a submit or shelve: number, `[{"path": "//depot/a.c", "action": "add"}]` |
| `file_count` | of a submit or shelve: number of all its files; default: those of `files` |
| `user`, `groups`, `client`, `ip` | user, list of the user's groups, client, address |
| `clientcwd` | the directory on the client's machine in which a command was started |
| `prog`, `version` | the program and its version, as reported by the program |
| `pressure` | of the server: `low`, `medium`, `high` or `unknown`; default: `low` |
| `lock_waiters` | sessions that wait for locks on the server's tables, or `unknown`; default: 0 |
| `age_s` | of a running command: the seconds for which it has been running |
| `time` | seconds since the epoch; default: now |
| `facts` | facts about the server, in the format of `facts.json` in the home folder |
| `id` | any value; repeated in the answer |

    {"event": "command", "command": "files", "args": ["//..."], "user": "ann"}

`evaluate` answers with one JSON object per line:

| key | value |
|---|---|
| `verdict` | `allow`, `observe`, `unknown`, `delay` or `refuse`: the most severe of all rules |
| `rule`, `summary`, `detail`, `fix` | of the first rule with this verdict |
| `value` | estimated files or revisions (`limit_scanned_rows`, `max_files`), or null |
| `delay_s`, `retry_after_s` | seconds, of a rate limit |
| `exemption` | the exemption that applied |
| `form` | the new text of a form that is shown |
| `findings` | every finding of every rule |
| `would` | the verdicts of observing rules if each were enforced alone |
| `unknown` | the rules that lack a fact to decide, each with the reason in `why` |
| `id` | the `id` of the event |

Each entry of `would` has `rule`, `verdict` (`delay` or `refuse`), and `delay_s` or
`retry_after_s`. Events may be up to a minute out of order. An earlier time means that the
clock was set back; earlier counts of rates are then dropped.
"""
