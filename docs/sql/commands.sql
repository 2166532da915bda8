-- Commands by name: number, run time, processor time
SELECT c.command, count(*) AS commands, round(sum(c.lapse_s), 1) AS lapse_s, max(c.lapse_s) AS longest_s,
    round(sum(c.user_ms + c.system_ms) / 1000.0, 1) AS cpu_s
FROM command AS c
GROUP BY c.command
ORDER BY commands DESC, c.command
