-- Commands that failed, died, were paused, or still ran when the log ended
WITH found AS (
    SELECT CASE WHEN died THEN 'died' WHEN fatal THEN 'fatal error' WHEN unauthenticated THEN 'not logged in'
            WHEN error.command IS NOT NULL THEN 'error' WHEN paused_s > 0 THEN 'paused' ELSE 'no end' END AS what,
        command.command AS name, paused_s, error.text
    FROM command
    LEFT JOIN (SELECT command, min(text) AS text FROM error GROUP BY command) AS error ON error.command = command.id
    WHERE died OR fatal OR unauthenticated OR error.command IS NOT NULL OR paused_s > 0 OR running
    UNION ALL SELECT CASE WHEN text LIKE 'exited unexpectedly%' THEN 'died, command unknown' ELSE 'error, command unknown' END,
        operation, NULL, text FROM error WHERE command IS NULL)
SELECT what, name.text AS command, count(*) AS times, round(sum(paused_s), 1) AS paused_s,
    min(found.text) AS example
FROM found LEFT JOIN name ON name.id = found.name
GROUP BY 1, 2 ORDER BY what = 'no end', 3 DESC LIMIT :limit
