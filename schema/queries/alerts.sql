-- Alerts, what people say of them and of nights, notifications, and the state of the search for changes.

-- name: actions_of_alert
SELECT id, at, who, kind, value, token FROM alert_action WHERE alert_id = $1 ORDER BY id

-- name: alert_by_id
SELECT id, accelerator_model, key, onset, detected, first_seen, confirmed_at, details, triage,
       triaged_at, owner, link
FROM alert_facts
WHERE id = $1

-- name: alerts_by_id
SELECT id, accelerator_model, key, onset, detected, first_seen, confirmed_at, details, triage,
       triaged_at, owner, link
FROM alert_facts
ORDER BY id

-- name: alerts_of_model
SELECT id, accelerator_model, key, onset, detected, first_seen, confirmed_at, details, triage,
       triaged_at, owner, link
FROM alert_facts
WHERE accelerator_model = $1
ORDER BY id

-- name: alert_outlines
SELECT id, accelerator_model, key, onset, detected, confirmed_at FROM alert ORDER BY id

-- name: alert_outlines_of_model
SELECT id, accelerator_model, key, onset, detected, confirmed_at
FROM alert
WHERE accelerator_model = $1
ORDER BY id

-- name: delete_untouched_alert
DELETE FROM alert
WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM alert_action WHERE alert_id = $1)

-- name: insert_alert
INSERT INTO alert (accelerator_model, key, onset, detected, first_seen, confirmed_at, details)
VALUES ($1, $2, $3, $4, $5, $6, $7)

-- name: insert_parked_alert
INSERT INTO alert (id, accelerator_model, key, onset, detected, first_seen, confirmed_at, details)
VALUES ((SELECT min(coalesce(min(id), 0), 0) - 1 FROM alert), $1, $2, $3, $4, $5, $6, $7)

-- name: insert_alert_of_parked
INSERT INTO alert (accelerator_model, key, onset, detected, first_seen, confirmed_at, details)
SELECT accelerator_model, key, onset, detected, first_seen, confirmed_at, details
FROM alert
WHERE id = $1

-- name: delete_parked_alerts
DELETE FROM alert WHERE id < 0

-- name: parked_alerts
SELECT id FROM alert WHERE id < 0 ORDER BY first_seen, accelerator_model, id DESC

-- name: insert_alert_action
INSERT INTO alert_action (alert_id, at, who, kind, value, token) VALUES ($1, $2, $3, $4, $5, $6)

-- name: notes_of_alerts
SELECT alert_id, value FROM alert_action WHERE kind = 'note' ORDER BY id

-- name: told_alerts
SELECT id, accelerator_model, key, onset, detected, first_seen, confirmed_at, details, triage,
       triaged_at, owner, link
FROM alert_facts
WHERE detected <> 'withdrawn' AND ($1 OR detected <> 'recovered') AND onset >= $2
ORDER BY id

-- name: update_alert
UPDATE alert SET onset = $2, detected = $3, confirmed_at = $4, details = $5
WHERE id = $1 AND (onset <> $2 OR detected <> $3 OR confirmed_at IS DISTINCT FROM $4
                   OR details <> $5)

-- name: delete_night_mark
DELETE FROM night_mark WHERE accelerator_model = $1 AND name = $2 AND kind = $3

-- name: night_marks_by_name
SELECT accelerator_model, name, kind, reason, who, at, token
FROM night_mark
ORDER BY accelerator_model, name, kind

-- name: night_marks_of_model
SELECT accelerator_model, name, kind, reason, who, at, token
FROM night_mark
WHERE accelerator_model = $1
ORDER BY name, kind

-- name: put_night_mark
INSERT INTO night_mark (accelerator_model, name, kind, reason, who, at, token)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (accelerator_model, name, kind)
DO UPDATE SET reason = excluded.reason, who = excluded.who, at = excluded.at,
  token = excluded.token

-- name: set_run_revision
UPDATE run SET revision = $2 WHERE id = $1

-- name: claim_delivery
INSERT INTO delivery (notification_id, target, attempts, last_at, last_error) VALUES ($1, $2, 1, $3, '')
ON CONFLICT (notification_id, target) DO UPDATE
SET attempts = delivery.attempts + 1, last_at = excluded.last_at, last_error = ''
WHERE delivery.delivered_at IS NULL AND (delivery.last_error <> '' OR delivery.last_at < $4)

-- name: finish_delivery
UPDATE delivery
SET last_error = $3, last_at = $4, delivered_at = CASE WHEN $3 = '' THEN $4 ELSE NULL END
WHERE notification_id = $1 AND target = $2

-- name: insert_notification
INSERT INTO notification (alert_id, event, made_at) VALUES ($1, $2, $3)
ON CONFLICT (alert_id, event) DO NOTHING

-- name: notifications_of_alert
SELECT count(*) FROM notification WHERE alert_id = $1

-- name: undelivered_notifications
SELECT n.id, n.alert_id, n.event, n.made_at
FROM notification AS n
LEFT JOIN delivery AS d ON d.notification_id = n.id AND d.target = $1
WHERE n.made_at >= $2 AND d.delivered_at IS NULL
ORDER BY n.id

-- name: delete_unused_night_facts
DELETE FROM night_facts WHERE run_id NOT IN (SELECT id FROM run)

-- name: delete_unused_watch_states
DELETE FROM watch_state WHERE accelerator_model NOT IN (SELECT accelerator_model FROM run)

-- name: night_facts_of_run
SELECT content, byte_count, is_zstd, bytes FROM night_facts WHERE run_id = $1 AND revision = $2

-- name: put_night_facts
INSERT INTO night_facts (run_id, revision, content, byte_count, is_zstd, bytes) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (run_id) DO UPDATE
SET revision = excluded.revision, content = excluded.content, byte_count = excluded.byte_count,
    is_zstd = excluded.is_zstd, bytes = excluded.bytes

-- name: put_watch_state
INSERT INTO watch_state (accelerator_model, night_count, basis, content, byte_count, is_zstd, bytes)
VALUES ($1, $2, $3, $4, $5, $6, $7)
ON CONFLICT (accelerator_model) DO UPDATE
SET night_count = excluded.night_count, basis = excluded.basis, content = excluded.content,
    byte_count = excluded.byte_count, is_zstd = excluded.is_zstd, bytes = excluded.bytes

-- name: watch_state_of_model
SELECT content, byte_count, is_zstd, bytes, night_count, basis FROM watch_state WHERE accelerator_model = $1
