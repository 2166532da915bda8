-- Lock waits over time, by table and by minute, hour or day (--by)
-- needs: tables
WITH waited AS (
    SELECT CAST(start / :step_s AS INTEGER) AS step, CASE WHEN instr(name.text, '/')
        THEN substr(name.text, 1, instr(name.text, '/')) || '...' ELSE name.text END AS tables,
        read_wait_ms + write_wait_ms AS wait_ms
    FROM table_use JOIN command ON command.id = table_use.command JOIN name ON name.id = table_use.name
    WHERE read_wait_ms + write_wait_ms > 0),
shown AS (
    SELECT strftime(:label, step * :step_s, 'unixepoch', 'localtime') AS time, tables, count(*) AS waits,
        sum(wait_ms) AS wait_ms, max(wait_ms) AS longest_ms
    FROM waited GROUP BY 1, 2 ORDER BY 1 DESC, wait_ms DESC LIMIT :limit)
SELECT * FROM shown ORDER BY time, wait_ms DESC
