-- Run times of each command: the share below each limit
-- needs: lapses
SELECT name.text AS command, count(*) AS commands, round(100.0 * sum(lapse_s < 0.1) / count(*), 1) AS under_100_ms,
    round(100.0 * sum(lapse_s < 1) / count(*), 1) AS under_1_s, round(100.0 * sum(lapse_s < 10) / count(*), 1) AS under_10_s,
    sum(lapse_s >= 10) AS longer, max(lapse_s) AS longest_s
FROM distinct_command AS command JOIN name ON name.id = command.command WHERE lapse_s IS NOT NULL
GROUP BY command.command ORDER BY 2 DESC LIMIT :limit
