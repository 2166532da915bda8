-- Classes of accounts compared (--class builds=build-*), such as people and builds
SELECT ifnull(class.name, 'all others') AS class, count(DISTINCT command.user) AS accounts, count(*) AS commands,
    round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS percent,
    round(1.0 * count(*) / count(DISTINCT command.user), 1) AS commands_each,
    round(sum(lapse_s), 1) AS lapse_s, round(100 * sum(lapse_s) / sum(sum(lapse_s)) OVER (), 1) AS lapse_percent,
    round(sum(user_ms + system_ms) / 1e3, 1) AS cpu_s,
    round(100.0 * sum(user_ms + system_ms) / sum(sum(user_ms + system_ms)) OVER (), 1) AS cpu_percent,
    sum(command.command = (SELECT id FROM name WHERE text = 'user-sync')) AS syncs,
    sum(bytes_added + bytes_updated) AS sync_bytes, sum(files_sent_mb) AS sent_mb
FROM distinct_command AS command LEFT JOIN class ON class.user = command.user
GROUP BY 1 ORDER BY commands DESC LIMIT :limit
