-- The longest commands, syncs listed separately
-- needs: lapses
WITH sync AS (SELECT id FROM name WHERE text IN ('user-sync', 'user-transmit')),
longest AS (
    SELECT * FROM (
        SELECT id FROM command WHERE lapse_s IS NOT NULL AND command NOT IN sync ORDER BY lapse_s DESC LIMIT :limit)
    UNION ALL SELECT * FROM (
        SELECT id FROM command WHERE lapse_s IS NOT NULL AND command IN sync ORDER BY lapse_s DESC LIMIT :limit))
SELECT CASE WHEN command IN ('user-sync', 'user-transmit') THEN 'sync' ELSE 'other' END AS kind, started, lapse_s, user,
    client, command, args
FROM commands WHERE id IN longest ORDER BY kind, lapse_s DESC
