"""The reporting database: what p4d's logs tell, as SQLite tables (`schema.sql`)."""
