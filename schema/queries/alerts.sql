-- Alerts, what people say of them and of nights, notifications, and the state of the search for changes.

-- name: actions_of_alert
SELECT id, at, who, kind, value, token FROM alert_action WHERE alert_id = $1 ORDER BY id

-- name: alert_columns
SELECT id, accelerator_model, key, onset, detected, first_seen, confirmed_at, title, scope, suite, model, backend,
       direction, onset_run, last_good_run, first_bad_run, first_seen_run, confirmed_run, closed_run, rerun, triage,
       triaged_at, owner, link, iif(urgency < 6 AND muted_until > $1, 'muted', state),
       iif(urgency < 6 AND muted_until > $1, 5, urgency), headline_metric, headline_effect, headline_low, headline_high,
       headline_before, headline_after, headline_experiment, weight, iif(muted_until > $1, muted_until, ''),
       iif(is_orphaned, triage NOT IN ('fixed', 'wont_fix', 'invalid', 'infrastructure'), 0), successor, explanation
FROM alert

-- name: alert_labels
SELECT alert_id, key, before, after FROM alert_label

-- name: alert_members
SELECT m.experiment_id, m.suite, m.model, m.test, m.backend, m.configuration, m.metric, m.detected, m.direction,
       m.onset_run, m.earliest_run, m.latest_run, m.before, m.after, m.effect, m.low, m.high, m.confidence, m.p_value,
       m.q_value, m.nights_before, m.nights_after, m.noise, m.sigma, m.before_text, m.after_text, m.flips, m.flips_of,
       m.is_doing_of_baseline, coalesce(e.accelerator, ''), coalesce(e.accelerator_model, ''), e.xla, e.xla_flags,
       e.dynamo, e.torch_xla2, e.batch_size, coalesce(e.flags, '{}'), m.alert_id
FROM alert_member AS m LEFT JOIN experiment AS e ON e.id = m.experiment_id

-- name: alert_member_counts
SELECT id, coalesce((SELECT max(place) + 1 FROM alert_member WHERE alert_id = alert.id), 0) FROM alert

-- name: alerts_of_experiment
SELECT DISTINCT alert_id FROM alert_member WHERE experiment_id = $1

-- name: level_changes
SELECT a.id, a.state, m.onset_run, m.earliest_run, m.latest_run, m.before, m.after, m.direction, m.effect, m.low, m.high,
       m.confidence, m.experiment_id
FROM alert_member AS m
JOIN alert AS a ON a.id = m.alert_id
JOIN alert_run AS r ON r.id = m.onset_run
WHERE m.metric = $1 AND m.experiment_id IN ($2) AND a.detected <> 'withdrawn' AND m.detected <> 'withdrawn'
  AND m.before IS NOT NULL AND m.after IS NOT NULL AND m.effect IS NOT NULL
ORDER BY r.started_at, a.id, m.place

-- name: alert_counts
SELECT detected, triage, count(*), urgency < 6 AND muted_until > $1 AS is_muted
FROM alert
WHERE state NOT IN ('recovered', 'withdrawn')
GROUP BY detected, triage, is_muted

-- name: open_alert_count
SELECT count(*) FROM alert
WHERE state IN ('suspect', 'confirmed') AND urgency <= 1 AND ($1 = '' OR accelerator_model = $1) AND muted_until <= $2

-- name: alert_run
SELECT name, accelerator_model, started_at FROM alert_run WHERE id = $1

-- name: alert_outlines
SELECT id, accelerator_model, key, onset, detected, confirmed_at, content FROM alert ORDER BY id

-- name: alert_outlines_of_model
SELECT id, accelerator_model, key, onset, detected, confirmed_at, content
FROM alert
WHERE accelerator_model = $1
ORDER BY id

-- name: delete_untouched_alert
DELETE FROM alert
WHERE id = $1 AND NOT EXISTS (SELECT 1 FROM alert_action WHERE alert_id = $1)

-- name: insert_alert
INSERT INTO alert (
  id, accelerator_model, key, onset, detected, first_seen, confirmed_at, title, scope, suite, model, backend,
  direction, onset_run, last_good_run, first_bad_run, first_seen_run, confirmed_run, closed_run, rerun,
  headline_metric, headline_effect, headline_low, headline_high, headline_before, headline_after, headline_experiment,
  weight, explanation, content)
VALUES ($30, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
        $24, $25, $26, $27, $28, $29)

-- name: least_alert_id
SELECT min(coalesce(min(id), 0), 0) FROM alert

-- name: insert_alert_of_parked
INSERT INTO alert (
  accelerator_model, key, onset, detected, first_seen, confirmed_at, title, scope, suite, model, backend,
  direction, onset_run, last_good_run, first_bad_run, first_seen_run, confirmed_run, closed_run, rerun,
  headline_metric, headline_effect, headline_low, headline_high, headline_before, headline_after, headline_experiment,
  weight, explanation, content)
SELECT
  accelerator_model, key, onset, detected, first_seen, confirmed_at, title, scope, suite, model, backend,
  direction, onset_run, last_good_run, first_bad_run, first_seen_run, confirmed_run, closed_run, rerun,
  headline_metric, headline_effect, headline_low, headline_high, headline_before, headline_after, headline_experiment,
  weight, explanation, content
FROM alert
WHERE id = $1

-- name: move_labels_of_alert
UPDATE alert_label SET alert_id = $2 WHERE alert_id = $1

-- name: move_members_of_alert
UPDATE alert_member SET alert_id = $2 WHERE alert_id = $1

-- name: delete_labels_of_alerts
DELETE FROM alert_label WHERE alert_id IN ($1)

-- name: delete_members_of_alerts
DELETE FROM alert_member WHERE alert_id IN ($1)

-- name: insert_alert_label
INSERT INTO alert_label (alert_id, key, before, after) VALUES ($1, $2, $3, $4)

-- name: insert_alert_member
INSERT INTO alert_member (
  alert_id, place, experiment_id, suite, model, test, backend, configuration, metric, detected, direction, onset_run,
  earliest_run, latest_run, before, after, effect, low, high, confidence, p_value, q_value, nights_before, nights_after,
  noise, sigma, before_text, after_text, flips, flips_of, is_doing_of_baseline)
VALUES ($1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23, $24,
        $25, $26, $27, $28, $29, $30, $31)

-- name: put_alert_runs
INSERT INTO alert_run (id, name, accelerator_model, started_at)
SELECT id, name, accelerator_model, started_at FROM run WHERE id IN ($1)
ON CONFLICT (id) DO UPDATE
SET name = excluded.name, accelerator_model = excluded.accelerator_model, started_at = excluded.started_at

-- name: delete_unused_alert_runs
DELETE FROM alert_run
WHERE id NOT IN (SELECT id FROM run)
  AND id NOT IN (SELECT onset_run FROM alert WHERE onset_run IS NOT NULL
                 UNION SELECT last_good_run FROM alert WHERE last_good_run IS NOT NULL
                 UNION SELECT first_bad_run FROM alert WHERE first_bad_run IS NOT NULL
                 UNION SELECT first_seen_run FROM alert WHERE first_seen_run IS NOT NULL
                 UNION SELECT confirmed_run FROM alert WHERE confirmed_run IS NOT NULL
                 UNION SELECT closed_run FROM alert WHERE closed_run IS NOT NULL
                 UNION SELECT onset_run FROM alert_member WHERE onset_run IS NOT NULL
                 UNION SELECT earliest_run FROM alert_member WHERE earliest_run IS NOT NULL
                 UNION SELECT latest_run FROM alert_member WHERE latest_run IS NOT NULL
                 UNION SELECT named.value
                       FROM alert_history AS h, json_each(h.events) AS event, json_each(event.value) AS named
                       WHERE named.key IN (1, 2, 4, 5) AND named.value IS NOT NULL)

-- name: delete_parked_alerts
DELETE FROM alert WHERE id < 0

-- name: parked_alerts
SELECT id FROM alert WHERE id < 0 ORDER BY first_seen, accelerator_model, id DESC

-- name: insert_alert_action
INSERT INTO alert_action (alert_id, at, who, kind, value, token) VALUES ($1, $2, $3, $4, $5, $6)

-- name: notes_of_alerts
SELECT alert_id, value FROM alert_action WHERE kind = 'note' ORDER BY id

-- name: contents_of_alerts
SELECT id, content FROM alert WHERE id IN ($1)

-- name: update_alert
-- Of an alert that there is and that differs: the rows of many are written together. What tells how it was first seen
-- stays.
INSERT INTO alert (
  id, accelerator_model, key, onset, detected, first_seen, confirmed_at, title, scope, suite, model, backend,
  direction, onset_run, last_good_run, first_bad_run, first_seen_run, confirmed_run, closed_run, rerun,
  headline_metric, headline_effect, headline_low, headline_high, headline_before, headline_after, headline_experiment,
  weight, explanation, content)
VALUES ($30, $1, $2, $3, $4, $5, $6, $7, $8, $9, $10, $11, $12, $13, $14, $15, $16, $17, $18, $19, $20, $21, $22, $23,
        $24, $25, $26, $27, $28, $29)
ON CONFLICT (id) DO UPDATE
SET onset = excluded.onset, detected = excluded.detected, confirmed_at = excluded.confirmed_at,
    title = excluded.title, scope = excluded.scope, suite = excluded.suite, model = excluded.model,
    backend = excluded.backend, direction = excluded.direction, onset_run = excluded.onset_run,
    last_good_run = excluded.last_good_run, first_bad_run = excluded.first_bad_run,
    first_seen_run = excluded.first_seen_run, confirmed_run = excluded.confirmed_run,
    closed_run = excluded.closed_run, rerun = excluded.rerun, headline_metric = excluded.headline_metric,
    headline_effect = excluded.headline_effect, headline_low = excluded.headline_low,
    headline_high = excluded.headline_high, headline_before = excluded.headline_before,
    headline_after = excluded.headline_after, headline_experiment = excluded.headline_experiment,
    weight = excluded.weight, content = excluded.content, explanation = excluded.explanation,
    lost_as = '', is_orphaned = 0, successor = NULL,
    -- A mute until a state ends for good when the state comes: it is not in force again when the state goes. Of a title
    -- that is about another metric by now nobody said that it is not to be heard of.
    muted_until = CASE
      WHEN alert.muted_until = 'confirmed' AND excluded.detected <> 'suspect' THEN ''
      WHEN alert.muted_until IN ('recovered', 'worse') AND excluded.detected IN ('recovered', 'withdrawn') THEN ''
      WHEN alert.muted_until = 'worse'
       AND (alert.headline_metric IS NOT excluded.headline_metric
            OR coalesce(abs(excluded.headline_effect) > abs(alert.muted_beyond), TRUE)) THEN ''
      ELSE alert.muted_until END

-- name: withdraw_alert
UPDATE alert
SET detected = 'withdrawn', explanation = $2, content = x'',
    lost_as = iif(EXISTS (SELECT 1 FROM alert_action WHERE alert_id = $1), detected, ''),
    muted_until = iif(muted_until IN ('confirmed', 'recovered', 'worse'), '', muted_until)
WHERE id = $1 AND detected <> 'withdrawn'

-- name: set_orphaned_alert
UPDATE alert SET is_orphaned = $2 AND lost_as IN ('suspect', 'confirmed'), successor = $3
WHERE id = $1 AND (is_orphaned, successor) IS NOT ($2 AND lost_as IN ('suspect', 'confirmed'), $3)

-- name: set_triage_of_alert
UPDATE alert SET triage = $2, triaged_at = $3 WHERE id = $1

-- name: set_owner_of_alert
UPDATE alert SET owner = $2 WHERE id = $1

-- name: set_mute_of_alert
UPDATE alert
SET muted_until = $2, muted_beyond = iif(abs(headline_low) > abs(headline_high), headline_low, headline_high)
WHERE id = $1

-- name: set_link_of_alert
UPDATE alert SET link = $2 WHERE id = $1

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

-- name: notified_alerts
SELECT DISTINCT alert_id FROM notification ORDER BY alert_id

-- name: undelivered_notifications
SELECT n.id, n.alert_id, n.event, n.made_at
FROM notification AS n
JOIN alert AS a ON a.id = n.alert_id
LEFT JOIN delivery AS d ON d.notification_id = n.id AND d.target = $1
WHERE n.made_at >= $2 AND d.delivered_at IS NULL
  -- Nobody hears of what is muted. Of what was when something of it became news, they hear only what is still so, and of
  -- its end only who heard of it. A mute lasts until the next is said, or its day; when its state came nobody wrote down.
  AND a.muted_until <= $3
  AND (NOT EXISTS (SELECT 1
                   FROM (SELECT at, value, lead(at) OVER (ORDER BY id) AS next_at
                         FROM alert_action
                         WHERE alert_id = a.id AND kind = 'mute') AS mute
                   JOIN notification AS made ON made.alert_id = a.id AND made.made_at >= mute.at
                   WHERE mute.value <> '' AND made.made_at < coalesce(mute.next_at, 9e99)
                     AND made.made_at < coalesce(unixepoch(mute.value), 9e99))
       OR iif(n.event = 'confirmed', a.detected = 'confirmed',
              EXISTS (SELECT 1 FROM notification AS first JOIN delivery AS told ON told.notification_id = first.id
                      WHERE first.alert_id = a.id AND first.event = 'confirmed' AND told.target = $1
                        AND told.delivered_at IS NOT NULL)))
ORDER BY n.id

-- name: delete_unused_night_facts
DELETE FROM night_facts WHERE run_id NOT IN (SELECT id FROM run)

-- name: delete_unused_watch_states
DELETE FROM watch_state WHERE accelerator_model NOT IN (SELECT accelerator_model FROM run)

-- name: night_facts_of_runs
SELECT run_id, revision, content, byte_count, is_zstd, bytes FROM night_facts WHERE run_id IN ($1)

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

-- name: night_quality
SELECT judged, off, is_disturbed, scatter FROM night_quality WHERE run_id = $1

-- name: alike_nights
SELECT r.id
FROM night_quality AS q, json_each(q.alike) AS one
JOIN run AS r ON r.id = one.value
WHERE q.run_id = $1
ORDER BY r.started_at, r.id

-- name: put_night_quality
INSERT INTO night_quality (run_id, judged, off, is_disturbed, scatter, alike) VALUES ($1, $2, $3, $4, $5, $6)
ON CONFLICT (run_id) DO UPDATE
SET judged = excluded.judged, off = excluded.off, is_disturbed = excluded.is_disturbed, scatter = excluded.scatter,
    alike = excluded.alike
WHERE (judged, off, is_disturbed, scatter, alike)
  IS NOT (excluded.judged, excluded.off, excluded.is_disturbed, excluded.scatter, excluded.alike)

-- name: delete_unused_night_qualities
DELETE FROM night_quality WHERE run_id NOT IN (SELECT id FROM run)

-- name: chart_of_alert
SELECT
  json_extract(night.value, '$[0]'), json_extract(night.value, '$[1]'), json_extract(night.value, '$[2]'),
  json_extract(night.value, '$[3]'), json_extract(night.value, '$[4]')
FROM alert AS a
JOIN alert_chart AS c ON c.alert_id = a.id AND c.metric = a.headline_metric AND c.experiment IS a.headline_experiment,
     json_each(c.nights) AS night
WHERE a.id = $1
ORDER BY night.key

-- name: alerts_with_chart
SELECT a.id
FROM alert AS a
JOIN alert_chart AS c ON c.alert_id = a.id AND c.metric = a.headline_metric AND c.experiment IS a.headline_experiment
ORDER BY a.id

-- name: put_chart_of_alert
INSERT INTO alert_chart (alert_id, metric, experiment, nights) VALUES ($1, $2, $3, $4)
ON CONFLICT (alert_id) DO UPDATE SET metric = excluded.metric, experiment = excluded.experiment, nights = excluded.nights
WHERE (metric, experiment, nights) IS NOT (excluded.metric, excluded.experiment, excluded.nights)

-- name: move_chart_of_alert
UPDATE alert_chart SET alert_id = $2 WHERE alert_id = $1

-- name: delete_chart_of_alert
DELETE FROM alert_chart WHERE alert_id = $1

-- name: events_of_alert
SELECT
  json_extract(event.value, '$[0]'), json_extract(event.value, '$[1]'), json_extract(event.value, '$[2]'),
  json_extract(event.value, '$[3]'), json_extract(event.value, '$[4]'), json_extract(event.value, '$[5]')
FROM alert_history AS h, json_each(h.events) AS event
WHERE h.alert_id = $1
ORDER BY event.key

-- name: series_in_events_of_alert
SELECT
  event.key, json_extract(series.value, '$[0]'), json_extract(series.value, '$[1]'), json_extract(series.value, '$[2]'),
  json_extract(series.value, '$[3]'), json_extract(series.value, '$[4]'), json_extract(series.value, '$[5]')
FROM alert_history AS h, json_each(h.events) AS event, json_each(event.value, '$[6]') AS series
WHERE h.alert_id = $1
ORDER BY event.key, series.key

-- name: alerts_in_events_of_alert
SELECT event.key, other.value
FROM alert_history AS h, json_each(h.events) AS event, json_each(event.value, '$[7]') AS other
WHERE h.alert_id = $1
ORDER BY event.key, other.key

-- name: histories_of_model
SELECT h.alert_id, h.events
FROM alert AS a JOIN alert_history AS h ON h.alert_id = a.id
WHERE a.accelerator_model = $1
ORDER BY h.alert_id

-- name: put_history_of_alert
INSERT INTO alert_history (alert_id, events) VALUES ($1, $2)
ON CONFLICT (alert_id) DO UPDATE SET events = excluded.events

-- name: delete_history_of_alert
DELETE FROM alert_history WHERE alert_id = $1
