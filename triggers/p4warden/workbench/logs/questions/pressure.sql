-- Active and paused threads, and the server's pressure, by hour
-- needs: threads
SELECT datetime(CAST(time / 3600 AS INTEGER) * 3600, 'unixepoch', 'localtime') AS hour,
    max(active_threads) AS active_threads, max(paused_threads) AS paused_threads,
    max(pause_rate_cpu) AS pause_rate_cpu, max(pause_rate_mem) AS pause_rate_mem,
    max(pressure_cpu) AS pressure_cpu, max(pressure_mem) AS pressure_mem
FROM event GROUP BY 1 ORDER BY 1 DESC LIMIT :limit
