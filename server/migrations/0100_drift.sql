-- What rows of serving endpoints were like, in counts: compared with what models were trained on.

create table serving_drift_counts (
  endpoint_id uuid not null references serving_endpoints (id) on delete cascade,
  organization_id uuid not null,
  -- Kept for its time though the model may go.
  model_id uuid not null,
  -- The beginning of the hour in which the rows were answered.
  hour timestamptz(0) not null,
  -- Rows, then those of each bin of the model's reference: see the engine's `drift/counting.ts`.
  counts bigint[] not null,
  primary key (endpoint_id, model_id, hour)
);
create index serving_drift_counts_by_hour on serving_drift_counts (hour);
create index serving_drift_counts_of_organization on serving_drift_counts (organization_id, hour);
call protect('serving_drift_counts');
