-- The commands that read and wrote most pages of the database
-- needs: tables
SELECT commands.started, pages.read_pages, pages.written_pages, pages.scanned_rows, commands.lapse_s, commands.user,
    commands.command, commands.args AS args
FROM (
    SELECT command, sum(pages_in) AS read_pages, sum(pages_out) AS written_pages, sum(scan_rows) AS scanned_rows
    FROM table_use GROUP BY command HAVING sum(pages_in + pages_out) > 0
    ORDER BY sum(pages_in + pages_out) DESC LIMIT :limit) AS pages
JOIN commands ON commands.id = pages.command ORDER BY pages.read_pages + pages.written_pages DESC
