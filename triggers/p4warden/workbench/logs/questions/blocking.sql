-- The longest waits in order of time, each with the blocked command and the one that held the lock longest meanwhile
-- needs: tables
-- with: waits
-- unnamed: blocker
SELECT victim.started, waited.lock, waited.read_wait_ms + waited.write_wait_ms AS wait_ms, command.pid AS blocked_pid,
    victim.user AS blocked, victim.command AS blocked_command, victim.lapse_s AS blocked_lapse_s,
    holder_user.text AS blocker, holder_command.text AS blocker_command,
    holder.pid AS blocker_pid, datetime(holder.start, 'unixepoch', 'localtime') AS blocker_started,
    holder.lapse_s AS blocker_lapse_s, blame.held_ms, argument.text AS blocker_args
FROM waited JOIN commands AS victim ON victim.id = waited.command
JOIN main.command AS command ON command.id = waited.command
LEFT JOIN blame ON blame.place = waited.place
LEFT JOIN main.command AS holder ON holder.id = blame.holder
LEFT JOIN name AS holder_user ON holder_user.id = holder.user
LEFT JOIN name AS holder_command ON holder_command.id = holder.command
LEFT JOIN argument ON argument.command = holder.id
ORDER BY waited.start, wait_ms DESC
