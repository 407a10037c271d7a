-- What many processes on one database need. Times are milliseconds since 1970 in UTC.
-- +goose Up
CREATE TABLE leases (
    name    TEXT   PRIMARY KEY,
    holder  TEXT   NOT NULL,                 -- the process that has it, empty when it was given back
    fence   BIGINT NOT NULL,                 -- grows with each new holder
    beat    BIGINT NOT NULL,                 -- grows with each renewal
    ttl     BIGINT NOT NULL                  -- how long it holds after a renewal, in milliseconds
);

-- The last transaction of each connection of PostgreSQL, by which is found out what a commit has come to whose connection was lost.
CREATE TABLE write_marks (
    connection TEXT   PRIMARY KEY,
    mark       BIGINT NOT NULL,              -- grows with each transaction
    sealed     BIGINT,                       -- the connection is gone, and no transaction after this one may be committed
    at         BIGINT NOT NULL,
    CHECK (sealed IS NULL OR mark <= sealed)
);
