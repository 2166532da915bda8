-- The users whose syncs moved most bytes, as estimated by p4d, by day
SELECT c.day, c.user AS account, count(*) AS syncs, sum(c.files_added + c.files_updated) AS files,
    sum(c.bytes_added + c.bytes_updated) AS bytes
FROM command AS c
WHERE c.command = 'user-sync'
GROUP BY c.day, c.user
ORDER BY c.day, bytes DESC
