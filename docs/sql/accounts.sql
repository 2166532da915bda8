-- Accounts by number of commands: the share of each account, and the cumulative share
SELECT a.account, a.commands, round(100.0 * a.commands / sum(a.commands) OVER (), 1) AS percent,
    round(100.0 * sum(a.commands) OVER (ORDER BY a.commands DESC, a.account ROWS UNBOUNDED PRECEDING)
        / sum(a.commands) OVER (), 1) AS so_far_percent
FROM (SELECT c.user AS account, count(*) AS commands FROM command AS c GROUP BY c.user) AS a
ORDER BY a.commands DESC, a.account
