-- Replication and transfers of syncs, by forwarding server or proxy
SELECT ifnull(via.text, 'direct') AS via, name.text AS command, count(*) AS commands,
    round(sum(lapse_s), 1) AS lapse_s, max(lapse_s) AS longest_s,
    sum(files_added + files_updated) AS estimated_files, sum(bytes_added + bytes_updated) AS estimated_bytes,
    sum(files_sent) AS files_sent, sum(files_sent_mb) AS sent_mb
FROM command JOIN name ON name.id = command.command LEFT JOIN name AS via ON via.id = command.via
WHERE name.text LIKE 'rmt-%' OR name.text IN ('pull', 'user-sync', 'user-transmit', 'user-pull')
GROUP BY 1, 2 ORDER BY 4 DESC LIMIT :limit
