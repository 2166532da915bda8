-- Users and programs by the total time for which they held locks
-- needs: tables
-- p4d logs some times of holding a lock as negative; they count as 0.
SELECT user.text AS user, prog.text AS program, sum(held_ms) AS held_ms, sum(wait_ms) AS wait_ms, sum(n) AS uses
FROM (
    SELECT command.user, command.prog, count(*) AS n, sum(max(read_held_ms, 0) + max(write_held_ms, 0)) AS held_ms,
        sum(max(read_wait_ms, 0) + max(write_wait_ms, 0)) AS wait_ms
    FROM table_use JOIN command ON command.id = table_use.command
    WHERE read_held_ms IS NOT NULL GROUP BY command.user, command.prog) AS used
LEFT JOIN name AS user ON user.id = used.user LEFT JOIN name AS prog ON prog.id = used.prog
GROUP BY 1, 2 ORDER BY held_ms DESC LIMIT :limit
