UPDATE artifact SET report_id = $2 WHERE id = $1
