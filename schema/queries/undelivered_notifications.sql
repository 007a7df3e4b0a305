SELECT n.id, n.alert_id, n.event, n.made_at
FROM notification AS n
LEFT JOIN delivery AS d ON d.notification_id = n.id AND d.target = $1
WHERE n.made_at >= $2 AND d.delivered_at IS NULL
ORDER BY n.id
