import Fastify from "fastify";
import { expect, it } from "vitest";
import { mountDocs } from "./docs.ts";
import { openApiDocument } from "./openapi.ts";

it("makes the document when it is first asked for, and once", async () => {
  const app = Fastify();
  let made = 0;
  mountDocs(
    app,
    () => {
      made++;
      return openApiDocument([]);
    },
    "",
  );
  await app.ready();
  expect((await app.inject("/docs")).statusCode).toBe(200);
  expect(made).toBe(0);
  const [first, second] = [await app.inject("/openapi.json"), await app.inject("/openapi.json")];
  expect(first.json()).toMatchObject({ openapi: "3.1.0" });
  expect(second.body).toBe(first.body);
  expect(made).toBe(1);
  await app.close();
});
