-- Read locks, write locks and rows of each table
-- needs: tables
SELECT name.text AS tables, sum(read_locks) AS read_locks, sum(write_locks) AS write_locks,
    round(100.0 * sum(read_locks) / sum(read_locks + write_locks), 1) AS read_percent,
    sum(scan_rows) AS scanned_rows, sum(put_rows + del_rows) AS changed_rows, sum(pages_in) AS pages_in,
    sum(pages_out) AS pages_out
FROM table_use JOIN name ON name.id = table_use.name WHERE read_locks IS NOT NULL
GROUP BY table_use.name ORDER BY sum(read_locks + write_locks) DESC LIMIT :limit
