-- The commands that blocked others longest, from the 200 longest waits
-- needs: tables
-- with: waits
-- waits: 200
SELECT holder.started, waited.lock, count(*) AS blocked, count(DISTINCT victim.user) AS users,
    sum(waited.read_wait_ms + waited.write_wait_ms) AS wait_ms, max(blame.held_ms) AS held_ms, command.pid,
    holder.user, holder.prog AS program, holder.command, holder.lapse_s, holder.args AS args
FROM blame JOIN waited ON waited.place = blame.place
JOIN main.commands AS holder ON holder.id = blame.holder JOIN main.command AS command ON command.id = blame.holder
JOIN main.command AS victim ON victim.id = waited.command
GROUP BY blame.holder, waited.lock ORDER BY wait_ms DESC LIMIT :limit
