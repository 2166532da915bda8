-- The commands that ran at one moment (--at; by default the end of the log), the earliest first
-- needs: lapses
SELECT commands.started, round(max(:at_s - command.start, 0), 1) AS had_run_s, commands.lapse_s,
    CASE WHEN command.end IS NULL THEN 'no end' END AS no_end, command.pid, commands.user, commands.client,
    commands.ip, commands.server, commands.prog AS program,
    commands.command, commands.args AS args
FROM (
    SELECT * FROM command WHERE start < :at_s + 1 AND (end >= :at_s OR running AND NOT EXISTS (
        SELECT 1 FROM main.event WHERE event.started AND event.server = command.server AND event.time <= :at_s
            AND (event.time, event.line) > (command.start, command.line)))
    ORDER BY end IS NULL, start LIMIT :limit) AS command
JOIN commands ON commands.id = command.id
ORDER BY no_end, command.start
