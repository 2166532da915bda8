-- Waits and holds of each table
-- needs: tables
SELECT name.text AS tables, sum(read_wait_ms + write_wait_ms) AS wait_ms, sum(read_held_ms) AS read_held_ms,
    sum(write_held_ms) AS write_held_ms, sum(peek_held_ms) AS peek_held_ms,
    sum(peek_wait_ms) AS peek_wait_ms, count(*) AS uses
FROM (
    SELECT CASE WHEN instr(name.text, '/') THEN substr(name.text, 1, instr(name.text, '/')) || '...'
        ELSE name.text END AS text, table_use.*
    FROM table_use JOIN name ON name.id = table_use.name
    WHERE read_wait_ms IS NOT NULL OR peeks IS NOT NULL) AS name
GROUP BY name.text
ORDER BY ifnull(sum(read_wait_ms + write_wait_ms), 0) + ifnull(sum(peek_wait_ms), 0) DESC, sum(write_held_ms) DESC LIMIT :limit
