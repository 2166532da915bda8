-- Commands that are in a text log and in a structured log of one server: the server, the process,
-- the second of the start, the user, the client and the command agree, and of several such commands
-- the first in one log is the first in the other. The text log's row stays. It gets the values that
-- it lacks, and the other row's facts of a kind (tables, archives, triggers, errors) if it has none of that kind.
CREATE TEMP TABLE candidate AS
SELECT command.id, log_file.form, server.name AS server, pid, CAST(start AS INTEGER) AS second, user, client, command,
    row_number() OVER (PARTITION BY log_file.form, server.name, pid, CAST(start AS INTEGER), user, client, command
        ORDER BY start, command.id) AS place
FROM command JOIN log_file ON log_file.id = command.file LEFT JOIN server ON server.id = command.server
WHERE start IS NOT NULL AND pid IS NOT NULL;
CREATE INDEX temp.candidate_process ON candidate (form, pid, second);

CREATE TEMP TABLE same AS
SELECT structured.id AS gone, min(text.id) AS kept
FROM candidate AS structured JOIN candidate AS text ON text.form = 'text' AND text.pid = structured.pid
    AND text.second = structured.second AND text.place = structured.place AND text.command = structured.command
    AND text.user IS structured.user AND text.client IS structured.client
    -- Text logs do not name their server.
    AND (text.server IS structured.server OR text.server IS NULL OR structured.server IS NULL)
WHERE structured.form = 'structured' GROUP BY structured.id;
DELETE FROM temp.same WHERE rowid NOT IN (SELECT min(rowid) FROM temp.same GROUP BY kept);
CREATE UNIQUE INDEX temp.same_gone ON same (gone);
CREATE UNIQUE INDEX temp.same_kept ON same (kept);
