-- A configured key that another took the place of may come back with the setting; one that somebody
-- revoked may not.

alter table api_keys add column replaced_at timestamptz(3);
