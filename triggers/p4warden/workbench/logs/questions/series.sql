-- Load over time, by minute, hour or day (--by): commands started and running, syncs, bytes, lock waits
WITH RECURSIVE begun AS (
    SELECT CAST(start / :step_s AS INTEGER) AS step, count(*) AS starts, count(end) AS with_end,
        sum(lapse_s) AS lapse_s, sum(command = (SELECT id FROM name WHERE text = 'user-sync')) AS syncs,
        sum(bytes_added + bytes_updated) AS estimated_bytes, sum(files_sent_mb) AS sent_mb
    FROM distinct_command AS command WHERE start IS NOT NULL GROUP BY 1),
ended AS (
    SELECT CAST(end / :step_s AS INTEGER) AS step, count(*) AS ends FROM distinct_command
    WHERE start IS NOT NULL AND end IS NOT NULL GROUP BY 1),
peak AS (SELECT CAST(at / :step_s AS INTEGER) AS step, max(commands) AS running FROM at_once GROUP BY 1),
waited AS (
    SELECT CAST(start / :step_s AS INTEGER) AS step, sum(read_wait_ms + write_wait_ms) AS wait_ms
    FROM table_use JOIN command ON command.id = table_use.command
    WHERE read_wait_ms + write_wait_ms > 0 GROUP BY 1),
span AS (
    SELECT CAST(max(ifnull(:from_s, 0), min(start)) / :step_s AS INTEGER) AS first,
        CAST(min(ifnull(:to_s - 0.001, :end_s), :end_s) / :step_s AS INTEGER) AS last
    FROM main.command WHERE start IS NOT NULL),
shown AS (SELECT max(first, last - :limit * :steps_of_label + 1) AS first, last FROM span),
-- A step without any start is shown as well, because the server may have been blocked.
step AS (SELECT first AS step FROM shown UNION ALL SELECT step + 1 FROM step WHERE step < (SELECT last FROM shown)),
earlier AS (
    SELECT ifnull((SELECT sum(with_end) FROM begun WHERE step < first), 0)
        - ifnull((SELECT sum(ends) FROM ended WHERE step < first), 0) AS commands FROM shown),
level AS (
    SELECT step.step AS at, begun.*, ends, running, wait_ms,
        sum(ifnull(with_end, 0) - ifnull(ends, 0)) OVER (ORDER BY step.step) + earlier.commands AS left_over
    FROM earlier JOIN step LEFT JOIN begun ON begun.step = step.step LEFT JOIN ended ON ended.step = step.step
    LEFT JOIN peak ON peak.step = step.step LEFT JOIN waited ON waited.step = step.step)
SELECT * FROM (
    SELECT strftime(:label, at * :step_s, 'unixepoch', 'localtime') AS time, ifnull(sum(starts), 0) AS started,
        max(max(left_over - ifnull(with_end, 0) + ifnull(ends, 0), ifnull(running, 0))) AS running,
        round(sum(lapse_s), 1) AS lapse_s, ifnull(sum(syncs), 0) AS syncs, sum(estimated_bytes) AS sync_bytes,
        sum(sent_mb) AS sent_mb, sum(wait_ms) AS wait_ms
    FROM level GROUP BY 1 ORDER BY 1 DESC LIMIT :limit)
WHERE time IS NOT NULL ORDER BY time
