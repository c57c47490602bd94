/** Statements over datasets, and where they are opened. */

/** @param name of a dataset in SQL, `sql_name` */
const statementOver = (name: string): string => `SELECT * FROM datasets.${name} LIMIT 100`;

/** The SQL page with a statement over the dataset. @param name as of `statementOver` */
export const queryAddress = (name: string): string =>
  `/data/sql?sql=${encodeURIComponent(statementOver(name))}`;
