-- Largest syncs by user: estimated and sent bytes
-- needs: syncs
-- unsure: unsure_syncs
SELECT name.text AS user, syncs, round(lapse_s, 1) AS lapse_s, files, bytes AS estimated_bytes, unsure_syncs,
    round(100.0 * bytes / sum(bytes) OVER (), 1) AS bytes_percent, sent_files, sent_mb,
    round(100.0 * sent_mb / sum(sent_mb) OVER (), 1) AS sent_percent
FROM (
    SELECT user, sum(command = (SELECT id FROM name WHERE text = 'user-sync')) AS syncs, sum(lapse_s) AS lapse_s,
        sum(files_added + files_updated) AS files, sum(bytes_added + bytes_updated) AS bytes,
        sum(estimates_sure = 0) AS unsure_syncs,
        sum(files_sent) AS sent_files, sum(files_sent_mb) AS sent_mb
    FROM distinct_command AS command WHERE command IN (SELECT id FROM name WHERE text IN ('user-sync', 'user-transmit'))
    GROUP BY user) AS moved
LEFT JOIN name ON name.id = moved.user
ORDER BY max(ifnull(bytes, 0), 1048576 * ifnull(sent_mb, 0)) DESC, syncs DESC LIMIT :limit
