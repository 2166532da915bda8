-- Hide the tables of a log database by their rows of the commands in `chosen`.
CREATE TEMP VIEW command AS SELECT * FROM main.command WHERE id IN (SELECT id FROM chosen);
CREATE TEMP VIEW any_command AS SELECT * FROM main.command
WHERE start <= (SELECT value FROM bound WHERE name = 'till_s')
AND ifnull(end, start) >= (SELECT value FROM bound WHERE name = 'since_s');
CREATE TEMP VIEW any_use AS SELECT * FROM main.table_use
WHERE rowid >= (SELECT value FROM bound WHERE name = 'any_first')
AND rowid < (SELECT value FROM bound WHERE name = 'any_end');
CREATE TEMP VIEW table_use AS SELECT * FROM main.table_use
WHERE rowid >= (SELECT value FROM bound WHERE name = 'first')
AND rowid < (SELECT value FROM bound WHERE name = 'end') AND command IN (SELECT id FROM chosen)
AND (NOT EXISTS (SELECT 1 FROM wanted WHERE option = 'table')
    OR name IN (SELECT id FROM wanted WHERE option = 'table'));
CREATE TEMP VIEW archive AS SELECT * FROM main.archive WHERE command IN (SELECT id FROM chosen);
CREATE TEMP VIEW trigger_run AS
SELECT * FROM main.trigger_run WHERE command IN (SELECT id FROM chosen);
CREATE TEMP VIEW forwarded AS
SELECT * FROM main.forwarded WHERE origin IN (SELECT id FROM chosen);
CREATE TEMP VIEW event AS SELECT * FROM main.event
WHERE (NOT EXISTS (SELECT 1 FROM wanted WHERE option = 'server')
    OR server IN (SELECT id FROM wanted WHERE option = 'server'))
AND time >= (SELECT value FROM bound WHERE name = 'from_s')
AND time < (SELECT value FROM bound WHERE name = 'to_s');
CREATE TEMP VIEW error AS SELECT * FROM main.error
WHERE command IN (SELECT id FROM chosen) OR command IS NULL
AND (SELECT value FROM bound WHERE name = 'anybody')
AND (NOT EXISTS (SELECT 1 FROM wanted WHERE option = 'server')
    OR server IN (SELECT id FROM wanted WHERE option = 'server'))
AND time >= (SELECT value FROM bound WHERE name = 'from_s')
AND time < (SELECT value FROM bound WHERE name = 'to_s');
