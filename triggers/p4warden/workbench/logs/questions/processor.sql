-- The commands that used most processor time
-- needs: processor
SELECT commands.started, taken.user_ms, taken.system_ms, taken.blocks_in, taken.blocks_out, taken.page_faults,
    commands.user, commands.command, commands.args AS args
FROM (
    SELECT * FROM command WHERE user_ms IS NOT NULL ORDER BY user_ms + system_ms DESC LIMIT :limit) AS taken
JOIN commands USING (id) ORDER BY taken.user_ms + taken.system_ms DESC
