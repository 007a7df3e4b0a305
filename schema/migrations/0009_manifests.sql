-- What should be in every run on an accelerator model, where somebody said so.
CREATE TABLE expected_result (
  accelerator_model TEXT NOT NULL,
  suite             TEXT NOT NULL,
  model             TEXT NOT NULL,
  test              TEXT NOT NULL,
  backend           TEXT NOT NULL,
  PRIMARY KEY (accelerator_model, suite, model, test, backend)
) STRICT, WITHOUT ROWID;
