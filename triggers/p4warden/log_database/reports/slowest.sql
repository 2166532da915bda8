-- The longest commands, syncs apart
SELECT CASE WHEN command IN ('user-sync', 'user-transmit') THEN 'sync' ELSE 'other' END AS kind, started, lapse_s, user,
    client, command, substr(args, 1, 60) AS args
FROM (
    SELECT commands.*, row_number() OVER (
        PARTITION BY command IN ('user-sync', 'user-transmit') ORDER BY lapse_s DESC) AS place
    FROM commands WHERE id IN (SELECT id FROM command ORDER BY lapse_s DESC LIMIT 20 * :limit))
WHERE place <= :limit ORDER BY kind, lapse_s DESC
