-- The commands that took most processor time, memory, pages
SELECT commands.started, user.user_ms, user.system_ms, user.rss_kb, user.memory_mb, read_pages, written_pages,
    commands.user, commands.command, substr(commands.args, 1, 50) AS args
FROM (SELECT * FROM command ORDER BY user_ms + system_ms DESC LIMIT :limit) AS user
JOIN commands USING (id)
LEFT JOIN (
    SELECT command, sum(pages_in) AS read_pages, sum(pages_out) AS written_pages
    FROM table_use WHERE command IN (SELECT id FROM command ORDER BY user_ms + system_ms DESC LIMIT :limit)
    GROUP BY command) AS pages ON pages.command = commands.id
ORDER BY user.user_ms + user.system_ms DESC
