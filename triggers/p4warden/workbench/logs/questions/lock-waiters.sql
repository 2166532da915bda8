-- The commands that waited longest for a lock, with the command that held it longest meanwhile
-- needs: tables
-- with: waits
-- unnamed: holder
SELECT victim.started, waited.lock AS tables, max(waited.read_wait_ms, 0) AS read_wait_ms,
    max(waited.write_wait_ms, 0) AS write_wait_ms, command.pid, victim.user,
    victim.command, holder_user.text AS holder, holder_command.text AS holds, holder.pid AS holder_pid, blame.held_ms
FROM waited JOIN commands AS victim ON victim.id = waited.command
JOIN main.command AS command ON command.id = waited.command
LEFT JOIN blame ON blame.place = waited.place
LEFT JOIN main.command AS holder ON holder.id = blame.holder
LEFT JOIN name AS holder_user ON holder_user.id = holder.user
LEFT JOIN name AS holder_command ON holder_command.id = holder.command
ORDER BY waited.read_wait_ms + waited.write_wait_ms DESC
