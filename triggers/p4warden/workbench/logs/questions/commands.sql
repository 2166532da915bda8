-- Commands by name
SELECT name.text AS command, count(*) AS commands, round(sum(lapse_s), 1) AS lapse_s,
    round(avg(lapse_s), 3) AS average_s, max(lapse_s) AS longest_s,
    round(sum(user_ms + system_ms) / 1e3, 1) AS cpu_s
FROM distinct_command AS command LEFT JOIN name ON name.id = command.command
GROUP BY name.text ORDER BY count(*) DESC LIMIT :limit
