-- Commands that failed, died, were paused, or never ended
SELECT CASE WHEN died THEN 'died' WHEN fatal THEN 'fatal error' WHEN unauthenticated THEN 'not logged in'
        WHEN error.command IS NOT NULL THEN 'error' WHEN paused_s > 0 THEN 'paused' ELSE 'no end' END AS what,
    name.text AS command, count(*) AS commands, round(sum(paused_s), 1) AS paused_s,
    substr(min(error.text), 1, 80) AS example
FROM command
LEFT JOIN (SELECT command, min(text) AS text FROM error GROUP BY command) AS error ON error.command = command.id
LEFT JOIN name ON name.id = command.command
WHERE died OR fatal OR unauthenticated OR error.command IS NOT NULL OR paused_s > 0 OR end IS NULL
GROUP BY 1, 2 ORDER BY 3 DESC LIMIT :limit
