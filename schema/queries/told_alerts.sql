SELECT id, accelerator_model, key, onset, detected, first_seen, confirmed_at, details, triage,
       triaged_at, owner, link
FROM alert_facts
WHERE detected <> 'withdrawn' AND ($1 OR detected <> 'recovered') AND onset >= $2
ORDER BY id
