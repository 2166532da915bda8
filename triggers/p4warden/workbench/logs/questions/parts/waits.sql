-- The longest waits, each with the command that held the lock longest meanwhile. Only a writer blocks
-- a reader. A log contains for how long a command held a lock but not when, so the time for which it
-- can have held it during the wait is at most the time for which both ran; starts are logged in whole
-- seconds. If that is less than a tenth of the wait, no command is shown as its cause.
WITH lock AS (
    -- A lock's name ends with how it was held: clientEntity/ws(R), clientEntity/ws(W).
    SELECT id, CASE WHEN substr(text, -3) IN ('(R)', '(W)') THEN substr(text, 1, length(text) - 3)
        ELSE text END AS name FROM name),
longest AS (
    SELECT row_number() OVER (ORDER BY read_wait_ms + write_wait_ms DESC) AS place, command, name, read_wait_ms,
        write_wait_ms
    FROM table_use
    WHERE read_wait_ms + write_wait_ms > 0 ORDER BY read_wait_ms + write_wait_ms DESC LIMIT :waits),
waited AS (
    SELECT longest.place, longest.command, lock.name AS lock, read_wait_ms, write_wait_ms, command.server, command.start,
        ifnull(command.end, command.start) AS end
    FROM longest JOIN lock ON lock.id = longest.name JOIN any_command AS command ON command.id = longest.command),
held AS (
    SELECT used.command, lock.name AS lock, used.read_held_ms, used.write_held_ms, command.server,
        command.start, ifnull(command.end, command.start) AS end
    FROM any_use AS used CROSS JOIN lock ON lock.id = used.name
    CROSS JOIN any_command AS command ON command.id = used.command
    WHERE used.name IN (SELECT id FROM lock WHERE name IN (SELECT lock FROM waited))
    AND (used.read_held_ms > 0 OR used.write_held_ms > 0)),
meanwhile AS (
    SELECT waited.place, held.command AS holder,
        ifnull(held.write_held_ms, 0) + CASE WHEN waited.write_wait_ms > 0 THEN ifnull(held.read_held_ms, 0)
            ELSE 0 END AS held_ms,
        1e3 * (1 + min(held.end, waited.end) - max(held.start, waited.start)) AS together_ms,
        waited.read_wait_ms + waited.write_wait_ms AS wait_ms
    FROM held JOIN waited ON waited.lock = held.lock AND waited.server IS held.server AND held.command <> waited.command
        AND held.start < waited.end + 1 AND held.end + 1 > waited.start),
blame AS (
    SELECT place, holder, held_ms, max(min(held_ms, together_ms)) AS meanwhile_ms
    FROM meanwhile WHERE held_ms > 0 AND 10 * min(held_ms, together_ms) >= wait_ms GROUP BY place)
