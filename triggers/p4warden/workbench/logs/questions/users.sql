-- Commands by user
SELECT user.text AS user, what.text AS command, n AS commands, round(lapse_s, 1) AS lapse_s,
    round(cpu_s, 1) AS cpu_s
FROM (
    SELECT user, command, count(*) AS n, sum(lapse_s) AS lapse_s, sum(user_ms + system_ms) / 1e3 AS cpu_s
    FROM distinct_command AS command GROUP BY user, command ORDER BY n DESC LIMIT :limit) AS totals
LEFT JOIN name AS user ON user.id = totals.user LEFT JOIN name AS what ON what.id = totals.command
ORDER BY n DESC
