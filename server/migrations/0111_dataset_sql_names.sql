-- The names that SQL has for datasets, made of the names that people gave them.

-- Of any text one of [a-z][a-z0-9_]*, of 50 characters at most, which never ends as a stable name
-- does: in an underscore and twelve hexadecimal digits.
create function dataset_slug(name text) returns text language sql immutable parallel safe as $$
  select case
    when slug = '' then 'dataset'
    when slug ~ '_[0-9a-f]{12}$' then rtrim(left(slug, 48), '_') || '_n'
    else slug
  end
  from (
    select rtrim(left(case when letters ~ '^[0-9]' then 'd_' || letters else letters end, 50), '_')
      as slug
    from (
      select trim(both '_' from regexp_replace(
        -- Letters without their marks; the ending of a file's name says nothing of its rows.
        regexp_replace(
          regexp_replace(replace(lower(normalize(name, NFKD)), 'ß', 'ss'), '[\u0300-\u036f]', '', 'g'),
          '(\.(csv|tsv|txt|parquet|pq|arrow|arrows|feather|ipc|json|jsonl|ndjson|gz|zst))+$', ''),
        '[^a-z0-9]+', '_', 'g')) as letters
    ) as plain
  ) as cut
$$;

alter table datasets add column sql_slug text not null
  generated always as (dataset_slug(name)) stored;
create index datasets_by_slug on datasets (organization_id, sql_slug, created_at desc, id desc);
