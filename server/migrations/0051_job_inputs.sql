-- What a training job learns from beside its dataset: a teacher, and trials of earlier jobs.

alter table training_jobs
  -- The model that teaches it; while the job is open the model stays.
  add column teacher_model_id uuid,
  -- Headers for the teacher's URL, sealed for [organization_id, id]; null once the job has ended.
  add column sealed_headers text,
  -- Trials of earlier jobs as they were when this one was registered.
  add column warm_start json not null default '[]';
create index training_jobs_by_teacher on training_jobs (teacher_model_id)
  where teacher_model_id is not null and status in ('pending', 'running');
