-- Who waited longest for a lock (victims), and who held it at that time
WITH waited AS (
    SELECT * FROM table_use JOIN command ON command.id = table_use.command
    WHERE read_wait_ms + write_wait_ms > 0 ORDER BY read_wait_ms + write_wait_ms DESC LIMIT :limit),
blame AS (
    SELECT waited.id, waited.name, held.command AS holder,
        max(ifnull(held.read_held_ms, 0) + ifnull(held.write_held_ms, 0)) AS held_ms
    FROM waited JOIN table_use AS held ON held.name = waited.name AND held.command <> waited.id
    JOIN command ON command.id = held.command AND command.start < waited.end + 1 AND command.end + 1 > waited.start
    WHERE ifnull(held.write_held_ms, 0) > 0 OR (waited.write_wait_ms > 0 AND ifnull(held.read_held_ms, 0) > 0)
    GROUP BY waited.id, waited.name)
SELECT victim.started, name.text AS tables, waited.read_wait_ms, waited.write_wait_ms, victim.user,
    victim.command, holder.user AS holder, holder.command AS holds, blame.held_ms
FROM waited JOIN commands AS victim ON victim.id = waited.id JOIN name ON name.id = waited.name
LEFT JOIN blame ON blame.id = waited.id AND blame.name = waited.name
LEFT JOIN commands AS holder ON holder.id = blame.holder
ORDER BY waited.read_wait_ms + waited.write_wait_ms DESC
