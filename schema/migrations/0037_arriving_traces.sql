-- Large traces that come into the store in pieces, each within a transaction of its own, so that nobody waits long for
-- them. Until all of it is there, such a trace is no dump's and nobody sees it; content_hash in `trace` is a random key,
-- which tells it from any other. What a killed process leaves of one is removed after an hour.
CREATE TABLE arriving_trace (
  trace_id INTEGER PRIMARY KEY REFERENCES trace (id),
  begun_at REAL    NOT NULL  -- seconds since 1970
) STRICT;
