SELECT id, accelerator_model, key, onset, detected, first_seen, confirmed_at, details, triage,
       triaged_at, owner, link
FROM alert_facts
ORDER BY id
