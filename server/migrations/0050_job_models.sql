-- Several models of one job: a sweep over metrics registers the further ones when it selects them.

-- [{id, name, scores}] of the models after the first; scores by the order of record.metrics.
alter table training_jobs add column further_models json not null default '[]';

create index models_by_job on models (job_id);
