-- Advice on CUDA graphs hangs on the driver. Traces of an older program do not have it: not known.
ALTER TABLE trace ADD COLUMN cuda_driver INTEGER NOT NULL DEFAULT 0;
