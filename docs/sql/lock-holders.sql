-- The commands that held a lock longest; server, source (the export) and id identify a command
SELECT c.server, c.start, t.name AS lock_name, t.read_held_ms, t.write_held_ms, c.user AS account, c.command, c.args
FROM table_use AS t
JOIN command AS c ON c.server IS NOT DISTINCT FROM t.server AND c.source = t.source AND c.id = t.command
WHERE t.read_held_ms > 0 OR t.write_held_ms > 0
ORDER BY greatest(coalesce(t.read_held_ms, 0), coalesce(t.write_held_ms, 0)) DESC
LIMIT 25
