-- The typed file that a dataset's table is read from, written when it is registered. Null for one of an
-- older version, until it is first read. The bytes that were sent are kept beside it, or not.
alter table datasets add column table_key text;
alter table datasets alter column object_key drop not null;
alter table datasets add constraint datasets_are_kept
  check (object_key is not null or table_key is not null);
