-- Versions of client programs, with shares of all users and commands
SELECT prog.text AS program, version.text AS version, count(DISTINCT command.user) AS users, count(*) AS commands,
    datetime(max(start), 'unixepoch', 'localtime') AS last_seen, min(user.text) AS one_of_them,
    round(100.0 * count(DISTINCT command.user) / (SELECT count(DISTINCT user) FROM distinct_command AS command), 1) AS users_percent,
    round(100.0 * count(*) / sum(count(*)) OVER (), 1) AS commands_percent
FROM distinct_command AS command LEFT JOIN name AS prog ON prog.id = command.prog
LEFT JOIN name AS version ON version.id = command.version
LEFT JOIN name AS user ON user.id = command.user
GROUP BY command.prog, command.version ORDER BY 3 DESC, 4 DESC LIMIT :limit
