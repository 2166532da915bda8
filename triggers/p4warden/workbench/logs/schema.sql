-- The database of p4warden log load. Times are seconds since the epoch, so datetime(start, 'unixepoch',
-- 'localtime') converts them; durations are in seconds (_s) or milliseconds (_ms); a value that is not
-- in the log is NULL. Names are stored as numbers; the view commands contains them as text.

CREATE TABLE name ( -- Names of users, clients, addresses, programs, commands, tables and triggers, each once.
    id INTEGER PRIMARY KEY, text TEXT NOT NULL);

CREATE TABLE command ( -- Commands. Times are seconds since the epoch; a value that is not in the log is NULL.
    id INTEGER PRIMARY KEY,            -- in the order in which commands ended
    line INTEGER,                      -- number of its first line in the file
    pid INTEGER,
    start REAL,
    end REAL,                          -- NULL if its end is not in the log
    user INTEGER, client INTEGER, ip INTEGER,
    via INTEGER,                       -- the proxy, broker or edge server that forwarded it
    prog INTEGER, version INTEGER,
    command INTEGER,                   -- user-fstat, dm-CommitSubmit, rmt-Journal ...
    brokered INTEGER,
    args_cut INTEGER,                  -- 1 if the arguments are not all in the log
    args_left_out INTEGER,             -- number of arguments that p4d omitted in the middle
    lapse_s REAL, compute_s REAL, computes INTEGER, paused_s REAL,
    user_ms INTEGER, system_ms INTEGER, blocks_in INTEGER, blocks_out INTEGER,
    received INTEGER, sent INTEGER, rss_kb INTEGER, page_faults INTEGER,
    memory_mb INTEGER, process_memory_mb INTEGER,
    rpc_in INTEGER, rpc_out INTEGER, rpc_in_mb INTEGER, rpc_out_mb INTEGER,
    rpc_send_mark INTEGER, rpc_receive_mark INTEGER, rpc_send_s REAL, rpc_receive_s REAL,
    upstream_in INTEGER, upstream_out INTEGER, upstream_in_mb INTEGER, upstream_out_mb INTEGER,
    upstream_send_mark INTEGER, upstream_receive_mark INTEGER,
    upstream_send_s REAL, upstream_receive_s REAL,
    files_sent INTEGER, files_sent_mb INTEGER, files_received INTEGER, files_received_mb INTEGER,
    client_files_sent INTEGER, client_files_sent_mb INTEGER,
    client_files_received INTEGER, client_files_received_mb INTEGER,
    files_added INTEGER, files_updated INTEGER, files_deleted INTEGER,   -- a sync's estimates
    bytes_added INTEGER, bytes_updated INTEGER,
    estimates_sure INTEGER,            -- 0 if two syncs waited for estimates at the same time
    fatal INTEGER, unauthenticated INTEGER, died INTEGER,
    server INTEGER, file INTEGER,      -- the server of the log; the log_file with its first line
    running INTEGER,                   -- 1 if it still ran when the log ended or the server restarted
    ident TEXT                         -- identifier on all involved servers (structured logs)
);

CREATE TABLE argument ( -- Arguments of commands with arguments, as joined by p4d.
    command INTEGER PRIMARY KEY, text TEXT NOT NULL);

CREATE TABLE table_use ( -- Use of a table (db.rev) or of another lock (meta/commit(W)) by a command.

    command INTEGER, name INTEGER,
    pages_in INTEGER, pages_out INTEGER, pages_cached INTEGER,
    split_internal INTEGER, split_leaf INTEGER,
    read_locks INTEGER, write_locks INTEGER,
    get_rows INTEGER, pos_rows INTEGER, scan_rows INTEGER, put_rows INTEGER, del_rows INTEGER,
    read_wait_ms INTEGER, read_held_ms INTEGER, write_wait_ms INTEGER, write_held_ms INTEGER,
    max_read_wait_ms INTEGER, max_read_held_ms INTEGER,
    max_write_wait_ms INTEGER, max_write_held_ms INTEGER,
    peeks INTEGER, peek_wait_ms INTEGER, peek_held_ms INTEGER,           -- reads without locks
    max_peek_wait_ms INTEGER, max_peek_held_ms INTEGER
);

CREATE TABLE archive ( -- Work on archive files: Rcs, Binary, Compress, Uncompress.

    command INTEGER, kind INTEGER,
    opens INTEGER, closes INTEGER, checkins INTEGER, exist INTEGER,
    reads INTEGER, read_bytes INTEGER, writes INTEGER, written_bytes INTEGER,
    digests INTEGER, sizes INTEGER, times INTEGER, copies INTEGER
);

CREATE TABLE trigger_run ( -- Runs of triggers.
    command INTEGER, name INTEGER, lapse_s REAL);

CREATE TABLE error ( -- Errors; command is NULL if the command is not certain.
    command INTEGER, time REAL, operation INTEGER, text TEXT, server INTEGER);

CREATE TABLE event ( -- Events of the server itself: starts, threads, pressure.

    line INTEGER, time REAL, pid INTEGER, active_threads INTEGER, paused_threads INTEGER,
    pause_rate_cpu INTEGER, pause_rate_mem INTEGER, pressure_cpu INTEGER, pressure_mem INTEGER,
    server INTEGER, file INTEGER,
    started INTEGER                    -- 1 where the server started
);

CREATE TABLE log ( -- One row: totals of all logs that were read.

    -- without_command: lines about a command that could not be identified.
    -- passed_over: lines of kinds that no report uses; unknown: lines that were not understood.

    bytes INTEGER, lines INTEGER, commands INTEGER, without_start INTEGER, without_end INTEGER,
    events INTEGER, passed_over INTEGER, without_command INTEGER, unknown INTEGER, too_long INTEGER,
    evicted INTEGER
);

CREATE TABLE server ( -- Servers of the logs; the name is NULL if it is neither in a log nor specified.
    id INTEGER PRIMARY KEY, name TEXT);

CREATE TABLE log_file ( -- Specified files; one that is not a log has no server and no form.
    id INTEGER PRIMARY KEY, server INTEGER, path TEXT NOT NULL, form TEXT,   -- text, structured
    bytes INTEGER, lines INTEGER, unknown INTEGER,
    problem TEXT                       -- the fault that prevented reading it to its end
);

-- Number of commands, errors and events with each kind of fact, by server. If records is 0, the log
-- does not contain such facts. The kinds: start, end, compute, cpu, rpc, memory, files, estimates,
-- table (pages and rows), lock (waits and holds), archive, trigger, pause, proxy, error, threads, pressure, server start.
CREATE TABLE log_kind (server INTEGER, kind TEXT, records INTEGER);

CREATE TABLE not_understood ( -- The first ten lines that were not understood.
    file INTEGER, line INTEGER, text TEXT);

CREATE TABLE proxy ( -- Files delivered and use of the cache by a command in a proxy's log.
    command INTEGER PRIMARY KEY,
    server_files INTEGER, cache_files INTEGER, server_bytes INTEGER, cache_bytes INTEGER,
    faults INTEGER, fault_mb INTEGER, others INTEGER, flushes INTEGER, cached INTEGER
);

CREATE TABLE forwarded ( -- Commands that another server forwarded and that are in its log as well.
    command INTEGER PRIMARY KEY,
    origin INTEGER NOT NULL            -- the command in the log of the server that forwarded it
);

CREATE TABLE in_both_logs ( -- Commands that are in a text log and in a structured log of one server.
    command INTEGER PRIMARY KEY);

-- Every command once, even if it is in the logs of several servers.
CREATE VIEW distinct_command AS SELECT * FROM command WHERE id NOT IN (SELECT command FROM forwarded);

CREATE VIEW commands AS -- Commands with names as text and local times.
SELECT
    command.id, datetime(start, 'unixepoch', 'localtime') AS started, lapse_s,
    user.text AS user, client.text AS client, ip.text AS ip, via.text AS via,
    prog.text AS prog, version.text AS version, what.text AS command, argument.text AS args,
    user_ms, system_ms, start, end, server.name AS server, running
FROM command
LEFT JOIN name AS user ON user.id = command.user
LEFT JOIN name AS client ON client.id = command.client
LEFT JOIN name AS ip ON ip.id = command.ip
LEFT JOIN name AS via ON via.id = command.via
LEFT JOIN name AS prog ON prog.id = command.prog
LEFT JOIN name AS version ON version.id = command.version
LEFT JOIN name AS what ON what.id = command.command
LEFT JOIN argument ON argument.command = command.id
LEFT JOIN server ON server.id = command.server;

CREATE VIEW at_once AS -- Number of commands running after each start or end of one; began: number of starts.
SELECT at, sum(began) AS began, sum(sum(more)) OVER (ORDER BY at ROWS UNBOUNDED PRECEDING) AS commands
FROM (
    SELECT start AS at, 1 AS began, end IS NOT NULL AS more FROM distinct_command WHERE start IS NOT NULL
    UNION ALL SELECT end, 0, -1 FROM distinct_command WHERE start IS NOT NULL AND end IS NOT NULL)
GROUP BY at;
