-- The commands that used most memory
-- needs: memory
SELECT commands.started, taken.memory_mb, taken.process_memory_mb, taken.rss_kb, commands.lapse_s, commands.user,
    commands.command, commands.args AS args
FROM (
    SELECT *, ifnull(memory_mb, rss_kb / 1024.0) AS mb FROM command
    WHERE memory_mb IS NOT NULL OR rss_kb IS NOT NULL ORDER BY mb DESC LIMIT :limit) AS taken
JOIN commands USING (id) ORDER BY taken.mb DESC
