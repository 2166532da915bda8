-- Commands that are in the logs of two servers, because an edge server or a replica forwarded them.
--
-- Structured logs give a command one identifier on all servers that it involves ("Using structured
-- logging" in the P4 Server Administrator Guide, 2020.1 and later). In text logs it is the same user,
-- client, address, command and arguments within two seconds, and in the second log it came through
-- one server more (inferred from the addresses in logs of edge servers).
CREATE TEMP TABLE origin AS
SELECT id, server, user, client, ip, via, command, start, ident FROM command WHERE start IS NOT NULL;
CREATE INDEX temp.origin_request ON origin (user, client, command, start);
CREATE INDEX temp.origin_ident ON origin (ident) WHERE ident IS NOT NULL;

CREATE TEMP TABLE pair AS
SELECT here.id AS command, there.id AS origin, here.start - there.start AS apart_s
FROM origin AS here JOIN origin AS there ON there.ident = here.ident AND there.server <> here.server
    AND there.command = here.command AND there.user IS here.user
WHERE here.ident IS NOT NULL AND (there.start, there.id) < (here.start, here.id)
UNION ALL
SELECT here.id, there.id, abs(here.start - there.start)
FROM origin AS here JOIN origin AS there ON there.user = here.user AND there.client = here.client
    AND there.command = here.command AND there.start BETWEEN here.start - 2 AND here.start + 2
    AND there.ip = here.ip AND there.server <> here.server
JOIN name AS far ON far.id = here.via LEFT JOIN name AS near ON near.id = there.via
LEFT JOIN argument AS words ON words.command = here.id LEFT JOIN argument AS words_there ON words_there.command = there.id
WHERE here.via IS NOT NULL AND (here.ident IS NULL OR there.ident IS NULL) AND words.text IS words_there.text
    AND (near.id IS NULL OR substr(far.text, -length(near.text) - 1) = '/' || near.text);

INSERT INTO forwarded SELECT command, origin FROM (SELECT command, origin, min(apart_s) FROM pair GROUP BY command);
