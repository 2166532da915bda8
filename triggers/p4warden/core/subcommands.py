from __future__ import annotations

GROUPS = {
    "Rehearse, before anything is installed": {
        "audit": "show the state of a server, from its checkpoint alone",
        "replay": "show the users and commands in p4d's logs that a policy would stop",
        "census": "judge existing clients and other specs by the policy",
        "rightsize": "propose a narrower view that keeps a client's files",
        "log": "load p4d's logs into a database, and report on it",
        "tune": "show which of Perforce's settings against overload a server lacks",
        "bench": "measure a test server with the papers' benchmarks, with and without a policy",
    },
    "Write a policy": {
        "init": "write a commented starter policy from the server's depots",
        "check": "check a policy",
        "test": "judge a policy's test cases",
        "explain": "judge one event and show every rule and exemption with its reason",
        "programs": "show what a policy answers to Swarm, Jenkins, Unreal and other programs",
    },
    "Put it on the server, and take it off": {
        "deploy": "install, change or remove p4warden's lines in the triggers table",
        "activate": "check a policy and make it the running one",
        "refresh": "read facts about the server, for the rules",
        "index": "count a checkpoint's files and revisions, for estimates",
        "off": "switch off: every trigger allows everything; the table stays as it is",
        "on": "switch on: triggers judge again",
    },
    "Every day": {
        "status": "show the state of this installation",
        "doctor": "find problems of this installation, and show how to fix them",
        "report": "show refusals, delays, observations and faults from the decision log",
        "allow": "let a user do for a while what a rule refused",
        "history": "list changes of this installation, with author, time and reason",
        "notify-owners": "write letters to the owners of specs that a policy will refuse",
        "running": "show what runs on the server now",
        "pulse": "measure response times of five small commands, week by week",
    },
    "Several servers": {
        "share": "give the policy and the index to the other servers of the table",
        "follow": "on another server of the table: take over the shared policy and index",
    },
    "For programs, timers and tests": {
        "evaluate": "judge events given as JSON lines, and print one verdict per line",
        "metrics": "write decision counts for Prometheus",
        "prove": "test whether p4warden's promises hold with your p4d",
        "schema": "print the policy language as a JSON Schema",
        "units": "write systemd's units and logrotate's configuration for this installation",
    },
}
SUBCOMMANDS = {name: text for texts in GROUPS.values() for name, text in texts.items()}
