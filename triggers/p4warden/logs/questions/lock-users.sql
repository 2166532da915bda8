-- Users and programs by the total time for which they held locks
-- needs: tables
SELECT user.text AS user, prog.text AS program, sum(held_ms) AS held_ms, sum(wait_ms) AS wait_ms, sum(n) AS uses
FROM (
    SELECT command.user, command.prog, count(*) AS n, sum(read_held_ms + write_held_ms) AS held_ms,
        sum(read_wait_ms + write_wait_ms) AS wait_ms
    FROM table_use JOIN command ON command.id = table_use.command
    WHERE read_held_ms IS NOT NULL GROUP BY command.user, command.prog) AS used
LEFT JOIN name AS user ON user.id = used.user LEFT JOIN name AS prog ON prog.id = used.prog
GROUP BY 1, 2 ORDER BY held_ms DESC LIMIT :limit
