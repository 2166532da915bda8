-- The longest compute phases, in which locks are held
-- needs: computes
SELECT commands.started, command.compute_s, command.computes, commands.lapse_s, commands.user,
    commands.command, commands.args AS args
FROM (SELECT * FROM command WHERE compute_s IS NOT NULL ORDER BY compute_s DESC LIMIT :limit) AS command
JOIN commands USING (id) ORDER BY command.compute_s DESC
