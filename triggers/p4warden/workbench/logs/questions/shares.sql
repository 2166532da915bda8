-- Accounts that cause 50, 80, 90 and 98% of each command
WITH ranked AS (
    SELECT command, user, n, sum(n) OVER (PARTITION BY command) AS total,
        sum(n) OVER (PARTITION BY command ORDER BY n DESC, user ROWS UNBOUNDED PRECEDING) AS so_far,
        row_number() OVER (PARTITION BY command ORDER BY n DESC, user) AS place
    FROM (SELECT command, user, count(*) AS n FROM distinct_command AS command GROUP BY command, user) AS totals)
SELECT what.text AS command, total AS commands, count(*) AS accounts,
    min(CASE WHEN so_far >= 0.5 * total THEN place END) AS make_50_percent,
    min(CASE WHEN so_far >= 0.8 * total THEN place END) AS make_80_percent,
    min(CASE WHEN so_far >= 0.9 * total THEN place END) AS make_90_percent,
    min(CASE WHEN so_far >= 0.98 * total THEN place END) AS make_98_percent,
    max(CASE WHEN place = 1 THEN first.text END) AS most_by, round(100.0 * max(n) / total, 1) AS percent_by_most
FROM ranked LEFT JOIN name AS what ON what.id = ranked.command LEFT JOIN name AS first ON first.id = ranked.user
GROUP BY ranked.command ORDER BY total DESC LIMIT :limit
