SELECT (SELECT count(*) FROM pruned_invocation),
       (SELECT count(*) FROM artifact WHERE pruned_at IS NOT NULL),
       (SELECT count(*) FROM rejected_line WHERE pruned_at IS NOT NULL)
