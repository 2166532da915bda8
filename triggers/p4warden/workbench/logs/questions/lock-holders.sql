-- The commands that held a lock longest
-- needs: tables
-- p4d logs some times of holding a lock as negative; they count as 0.
SELECT commands.started, name.text AS tables, max(read_held_ms, 0) AS read_held_ms,
    max(write_held_ms, 0) AS write_held_ms, max(peek_held_ms, 0) AS peek_held_ms, command.pid, commands.user,
    commands.command, commands.args AS args
FROM (
    SELECT * FROM table_use WHERE read_held_ms > 0 OR write_held_ms > 0 OR peek_held_ms > 0
    ORDER BY max(ifnull(read_held_ms, 0), ifnull(write_held_ms, 0)) DESC, peek_held_ms DESC
    LIMIT :limit) AS used
JOIN commands ON commands.id = used.command
JOIN main.command AS command ON command.id = used.command JOIN name ON name.id = used.name
ORDER BY max(ifnull(used.read_held_ms, 0), ifnull(used.write_held_ms, 0)) DESC, used.peek_held_ms DESC
