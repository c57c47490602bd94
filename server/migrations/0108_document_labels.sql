-- What people say is the answer to a schema's question of a document, in place of what is read.

create table document_labels (
  id uuid primary key,
  organization_id uuid not null,
  schema_id uuid not null references document_schemas (id) on delete cascade,
  document_id uuid not null references documents (id) on delete cascade,
  question text not null,
  -- JSON's null = the document does not say.
  value json not null,
  -- The key's id, or the token's subject.
  labelled_by text not null,
  key_id uuid,
  created_at timestamptz(3) not null default now(),
  updated_at timestamptz(3) not null default now(),
  unique (organization_id, schema_id, document_id, question)
);
create index document_labels_newest
  on document_labels (organization_id, schema_id, created_at desc, id desc);
create index document_labels_by_document on document_labels (document_id);
create index document_labels_by_schema on document_labels (schema_id);
call protect('document_labels');
