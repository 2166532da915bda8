-- Commands started in each hour on each server, and their run time
SELECT c.server, date_trunc('hour', c.start) AS hour, count(*) AS started, round(sum(c.lapse_s), 1) AS lapse_s
FROM command AS c
WHERE c.start IS NOT NULL
GROUP BY c.server, date_trunc('hour', c.start)
ORDER BY c.server, hour
