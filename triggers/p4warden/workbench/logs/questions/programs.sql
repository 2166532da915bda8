-- Programs, with their most frequent commands
SELECT prog.text AS program, sum(n) AS commands, count(DISTINCT totals.user) AS users,
    round(sum(lapse_s), 1) AS lapse_s, what.text AS most, max(n_command) AS of_them
FROM (
    SELECT prog, user, command, count(*) AS n, sum(lapse_s) AS lapse_s,
        sum(count(*)) OVER (PARTITION BY prog, command) AS n_command
    FROM distinct_command AS command GROUP BY prog, user, command) AS totals
LEFT JOIN name AS prog ON prog.id = totals.prog LEFT JOIN name AS what ON what.id = totals.command
GROUP BY totals.prog ORDER BY 2 DESC LIMIT :limit
