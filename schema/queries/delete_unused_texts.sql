DELETE FROM text
WHERE id NOT IN (SELECT error_id FROM line WHERE error_id IS NOT NULL
                 UNION SELECT text_id FROM measurement WHERE text_id IS NOT NULL
                 UNION SELECT text_id FROM rejected_line
                 UNION SELECT text_id FROM artifact WHERE text_id IS NOT NULL
                 UNION SELECT report_id FROM artifact WHERE report_id IS NOT NULL)
