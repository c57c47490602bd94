-- The unit that a person gave with an answer: the currency of an amount, the measure of a quantity.

-- Null = nobody said one: that of what was read.
alter table document_labels add column unit text;
