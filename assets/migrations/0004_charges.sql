-- Charges without a hold before them: what for, and for which task.
ALTER TABLE ledger ADD COLUMN cause TEXT;
ALTER TABLE ledger ADD COLUMN task_id TEXT;
