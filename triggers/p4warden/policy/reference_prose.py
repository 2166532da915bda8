"""Hand-written parts of the policy reference, for topics outside the schema."""

START = """\
# Policy reference

<!-- Written by `make docs` from the schema and the rules; edit those. -->

A policy is one YAML file. `p4warden check POLICY` names everything that is wrong in it, with line
and column; `p4warden test POLICY` runs its cases; `p4warden explain` tells what it makes of one
event; `p4warden activate POLICY` makes it the running one. Until then an edit changes nothing.

An editor that knows YAML schemas completes and checks as you type. Write the schema of the release
you run to a file with `p4warden schema > policy.schema.json`, and name it in the first line of the
policy:

    # yaml-language-server: $schema=policy.schema.json

It tells the shape. What a policy means (a rate that no request can pass, an exemption for a rule
that does not exist) only `p4warden check` tells. `policy.schema.json` beside this page is the same
file.

A setting that is neither *needed* nor has a default asks for nothing until it is written.

"""

MATCHING = """\
An entry lets an event pass when all the fields that are written match; within a field, any value
will do. `*` stands for any text and `?` for one character. On a server that does not tell `A` from
`a`, neither do the patterns. Exemptions are judged before any rule, so that no rule can stop an
exempt account.

"""

BASELINE = """\
### baseline

`p4warden census --write-baseline` notes, in `baseline.json` of the home folder, what
every rule finds in every client, stream, branch, label and depot there is, whatever its mode is.
A rule with `baseline: true` then observes what was noted and refuses what is new or worse:

- What was noted of a spec are its offending lines, by their words; their order, their number and
  everything else in the spec (a Description, a Root, lines that offend no rule) may change.
- Of what is measured of a view as a whole (its include lines, its paths with `...` within, the top
  directories of a depot) the value was noted.
- A spec with nothing but what was noted, or less of it, can be saved; the verdict is `observe`.
- A line that was not noted is new, even where it is narrower than one that was. A value further
  from its limit than it was is worse. Either is refused, and only what is new or worse is named.
- It is noted for a rule by its name in the policy and for a spec by its type and name: a rule that
  gets another name lets nothing stay, and a client made anew under an old name has what was noted.
- What an exemption let pass at the time was not noted.

`baseline_until: 2027-03-31` ends it: from the next day on what was noted excuses nothing.
`p4warden check` says so a month before.

Take it again to note what is so then: what got better in the meantime cannot go back. While no
census was taken, a form that such a rule judges ends in the `on_error` answer, as with any file of
ours that is missing; `p4warden activate` and `doctor` say so.

"""

OBSERVING = """\
### What a rule that observes tells

A rule in `observe`, or one whose canary does not include the user, stops nothing. The log,
`evaluate` and `replay` say of it what it would do if it alone were switched on, for the commands
as they came: `delay` and for how long, or `refuse`. Rules about forms and submits would refuse.

- The rules that act on a command and that it is not exempt from decide it. Where one of them
  refuses, no rule counts the command.
- Otherwise every rule counts it in its limits that does not itself refuse it, or would not: a rule
  that acts and one that observes alike, a delay like a command that simply goes on.
- A command that a rule would delay takes a waiting place that is kept for that rule alone, for up
  to 32 such rules at once; it keeps no command that really waits from its own.

A command that is delayed in earnest is followed later by the next one of its process. So a log of
what came while a rule observed overstates its refusals; `p4warden replay` shows both, the commands
as they came and an estimate in which processes wait.

"""

NAMES = """\
### The names of commands

A command has one rule for all its names: where `commands` has `changes`, `p4 changelists` is meant
as well, and takes a place in the same limits. Names that stand for a command with an option or a
word are that command: a rule about `sync` is about `flush`, and one about `flush` is about
`sync -k`. The trigger line lists every name, for whether p4d renames a command before it starts a
trigger is not documented. A rule that has to see an option makes the line pass `%args%`. Where a
server passes `flush` as `sync` and adds no `-k`, a rule about `flush` alone cannot know it, as
`check` says.

| name | the same as |
|---|---|
"""

CASES = """\
## The cases of a policy

`POLICY.cases.yaml` beside a policy holds events and the verdict that each must get; `p4warden test
POLICY` judges them. A case tells of its event in one of four ways: `view`, the lines of a client's
view; `form`, a whole form of some `type`; `command` with its `args`; `files`, those of a submit.
With `shows` the form is one that is shown and not saved, and those fields must have those values
then (`shows: null`: it is shown as it is). The cases of a file are one stream: rates carry over,
and `at` is a case's time in seconds after the first.

```yaml
facts:                                # what is known of the server; a case may have its own
  depots:
    depot: {type: local, directories: [main, rel]}
cases:
  - name: a whole depot
    view: ["//depot/... //ws/..."]
    user: ann
    groups: [dev]
    verdict: refuse                   # allow, observe, unknown, delay or refuse
    rule: no-whole-depot              # where it matters, whose verdict it is
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
    args: ["//depot/main/..."]        # unknown: a log does not tell them
    program: P4V
    version: "2015.1"
    pressure: high                    # low, medium, high or unknown
    at: 2.5
    verdict: delay
  - name: a new file on a long path
    files: ["add //depot/a/long/path/to/a/file.c", "edit //depot/main/a.c"]
    verdict: refuse
```
"""

EVENTS = """\

## Events

What `p4warden explain FILE` reads, and `p4warden evaluate` one a line: a JSON object. What an
event lacks is left out; other keys are ignored.

| key | value |
|---|---|
| `event` | `form-save`, `form-out`, `command` or `change-submit`; needed |
| `type`, `name`, `form` | of a form: `client`, `stream` ..., its name, its whole text |
| `command`, `args` | of a command: `"files"`, and its words as a list, `["-m", "1", "//..."]` |
| `change`, `files` | of a submit: its number, `[{"path": "//depot/a/b.c", "action": "add"}]` |
| `user`, `groups`, `client`, `ip` | who does it and from where: texts, `groups` a list of them |
| `clientcwd` | the directory on the client's machine that a command was started in |
| `prog`, `version` | the program and its version, as the program says them |
| `pressure` | the server's: `low`, `medium`, `high` or `unknown`; left out it is `low` |
| `time` | seconds since the epoch; left out it is now |
| `facts` | what is known of the server, as `facts.json` in the home has it |
| `id` | anything; the answer repeats it |

    {"event": "command", "command": "files", "args": ["//..."], "user": "ann"}

`evaluate` answers with an object a line. `verdict` is `allow`, `observe`, `unknown`, `delay` or
`refuse`, the worst that any rule says; `value` the estimate of `limit_scanned_rows`, or of the
files of a form's view for `max_files` of `limit_view_scope`, where there is one;
`rule`, `summary`, `detail` and `fix` are of the first rule that says so,
`delay_s` and `retry_after_s` of a rate, `exemption` is what let it pass, `form` the
new text of a form that is shown, and `findings` all that was found. Of a command, `would` lists
the rules that only observe and object: `rule`, its `verdict` (`delay` or `refuse`) if it alone
were switched on, and `delay_s` or `retry_after_s`. Events may be told up to a minute out of order;
a time further back is a clock that was set back, and no rate is kept from before it.
"""
