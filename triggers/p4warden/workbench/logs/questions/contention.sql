-- Waits and holds of each table
-- needs: tables
-- p4d logs some times of holding a lock as negative; they count as 0.
SELECT name.text AS tables, sum(max(read_wait_ms, 0) + max(write_wait_ms, 0)) AS wait_ms, sum(max(read_held_ms, 0)) AS read_held_ms,
    sum(max(write_held_ms, 0)) AS write_held_ms, sum(max(peek_held_ms, 0)) AS peek_held_ms,
    sum(max(peek_wait_ms, 0)) AS peek_wait_ms, count(*) AS uses
FROM (
    SELECT CASE WHEN instr(name.text, '/') THEN substr(name.text, 1, instr(name.text, '/')) || '...'
        ELSE name.text END AS text, table_use.*
    FROM table_use JOIN name ON name.id = table_use.name
    WHERE read_wait_ms IS NOT NULL OR peeks IS NOT NULL) AS name
GROUP BY name.text
ORDER BY ifnull(wait_ms, 0) + ifnull(sum(max(peek_wait_ms, 0)), 0) DESC, sum(max(write_held_ms, 0)) DESC LIMIT :limit
