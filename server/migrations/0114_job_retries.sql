-- Of an open job whose latest attempt failed and that waits to be tried again: which, when, and what it said.
alter table jobs add column retry json;
