-- The commands that ran at a moment (--at; by default the end of the log), the one that began first on top
-- needs: lapses
SELECT commands.started, round(max(:at_s - command.start, 0), 1) AS had_run_s, commands.lapse_s,
    CASE WHEN command.end IS NULL THEN 'no end' END AS no_end, command.pid, commands.user, commands.client,
    commands.ip, commands.prog AS program, commands.command, substr(commands.args, 1, 60) AS args
FROM (
    SELECT * FROM command WHERE start < :at_s + 1 AND (end >= :at_s OR end IS NULL
        -- p4d never tells the end of these.
        AND command NOT IN (SELECT id FROM name WHERE text LIKE 'rmt-%' OR text IN ('pull', 'client-Stats'))
        -- A log of level 1 tells no end at all.
        AND EXISTS (SELECT 1 FROM main.command WHERE end IS NOT NULL))
    ORDER BY end IS NULL, start LIMIT :limit) AS command
JOIN commands ON commands.id = command.id
ORDER BY no_end, command.start
