-- The commands that held a lock longest
-- needs: tables
SELECT commands.started, name.text AS tables, read_held_ms, write_held_ms, peek_held_ms, command.pid, commands.user,
    commands.command, commands.args AS args
FROM (
    SELECT * FROM table_use WHERE read_held_ms > 0 OR write_held_ms > 0 OR peek_held_ms > 0
    ORDER BY max(ifnull(read_held_ms, 0), ifnull(write_held_ms, 0)) DESC, peek_held_ms DESC
    LIMIT :limit) AS used
JOIN commands ON commands.id = used.command
JOIN main.command AS command ON command.id = used.command JOIN name ON name.id = used.name
ORDER BY max(ifnull(read_held_ms, 0), ifnull(write_held_ms, 0)) DESC, peek_held_ms DESC
