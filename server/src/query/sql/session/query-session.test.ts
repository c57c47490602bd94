import { Field, Int32, Schema } from "apache-arrow";
import { expect, it } from "vitest";
import { encodeSchemaMessage } from "../../arrow/schema-message.ts";
import { SqlError } from "../query.ts";
import { schemaOfColumns } from "./query-session.ts";

it("refuses more columns than are taken as a fault of what is read, not of the service", () => {
  const fields = Array.from({ length: 10_001 }, (_, at) => new Field(`c${at}`, new Int32()));
  const message = encodeSchemaMessage(new Schema(fields));
  const failure = (() => {
    try {
      return schemaOfColumns(message);
    } catch (error) {
      return error;
    }
  })();
  expect(failure).toBeInstanceOf(SqlError);
  expect(failure).toMatchObject({
    failure: "invalid",
    message: "the schema has more than 10000 fields",
  });
});
