-- Commands that still ran when the log ended or the server restarted
-- needs: lapses
WITH last AS (SELECT server, max(ifnull(end, start)) AS at FROM command GROUP BY server),
began AS (SELECT server, time, line FROM main.event WHERE started),
open AS (
    SELECT command.id, command.pid, command.start, last.at AS stop,
        (SELECT min(began.time) FROM began WHERE began.server = command.server
            AND (began.time, began.line) > (command.start, command.line)) AS again
    FROM command JOIN last ON last.server = command.server WHERE command.running
    ORDER BY command.start LIMIT :limit)
SELECT commands.started, round(ifnull(again, stop) - open.start, 1) AS ran_s,
    ifnull('server start ' || datetime(again, 'unixepoch', 'localtime'), 'end of the log') AS until, open.pid,
    commands.user, commands.client, commands.ip, commands.server, commands.prog AS program, commands.command,
    commands.args AS args
FROM open JOIN commands ON commands.id = open.id
ORDER BY open.start
