-- Commands one by one in order of time, the last matching ones
SELECT commands.started, command.lapse_s, CASE WHEN command.died THEN 'died' WHEN command.fatal THEN 'fatal error'
        WHEN command.unauthenticated THEN 'not logged in'
        WHEN EXISTS (SELECT 1 FROM error WHERE error.command = command.id) THEN 'error' WHEN command.running
        THEN 'no end' ELSE '' END AS outcome,
    command.pid, commands.user, commands.client, commands.ip, commands.server, commands.prog AS program, commands.command,
    commands.args AS args
FROM (SELECT * FROM command ORDER BY start DESC, id DESC LIMIT :limit) AS command
JOIN commands ON commands.id = command.id ORDER BY command.start, command.id
