-- Trigger run time: number of runs and time, by trigger and command
-- needs: triggers
SELECT name.text AS triggers, what.text AS command, sum(runs) AS runs, round(sum(run.lapse_s), 3) AS lapse_s,
    round(sum(run.lapse_s) / sum(timed), 3) AS average_s, max(longest_s) AS longest_s,
    round(100 * sum(run.lapse_s) / sum(command.lapse_s), 1) AS percent_of_command
FROM (
    SELECT command, name, count(*) AS runs, count(lapse_s) AS timed, sum(lapse_s) AS lapse_s,
        max(lapse_s) AS longest_s
    FROM trigger_run GROUP BY command, name) AS run
JOIN command ON command.id = run.command JOIN name ON name.id = run.name
LEFT JOIN name AS what ON what.id = command.command
GROUP BY run.name, command.command ORDER BY sum(run.lapse_s) DESC LIMIT :limit
