/** What an operator may read of the settings: all of them, and no secret. */

import { expect, it } from "vitest";
import { CONFIG_VARIABLES, parseConfig } from "./config.ts";
import { settingsOf } from "./settings.ts";

const SECRET = "0123456789-0123456789-0123456789";

it("has every variable, with where its value comes from, and no secret", () => {
  const config = parseConfig(
    {
      DISTILLERY_API_KEY: SECRET,
      DISTILLERY_METRICS_TOKEN: SECRET,
      DISTILLERY_SECRET_KEY: SECRET,
      DISTILLERY_PREVIOUS_SECRET_KEYS: SECRET,
      DATABASE_URL: `postgres://me:${SECRET}@db:5432,other:5432/d?password=${SECRET}`,
      OBJECT_STORE_URL: `s3://bucket/some?endpoint=http://u:${SECRET}@minio:9000&region=eu`,
      OIDC_ISSUER: "https://login.example.com",
      OIDC_AUDIENCE: "models",
      OIDC_CLIENT_ID: "console",
      OIDC_CLIENT_SECRET: SECRET,
      LLM_BASE_URL: `https://u:${SECRET}@llm.example.com/v1?key=${SECRET}`,
      LLM_MODEL: "small",
      LLM_API_KEY: SECRET,
      DISTILLERY_MAX_UPLOAD_MIB: "7",
    },
    { PORT: "81" },
  );
  const settings = settingsOf(config);
  expect(settings.map(({ name }) => name)).toEqual(CONFIG_VARIABLES);
  expect(JSON.stringify(settings)).not.toContain(SECRET);
  const of = (name: string) => settings.find((setting) => setting.name === name);
  const told = { isSecret: false, isSet: true };
  expect(of("PORT")).toEqual({ name: "PORT", value: "81", source: "option", ...told });
  expect(of("HOST")).toMatchObject({ value: "127.0.0.1", source: "default", isSet: true });
  expect(of("DISTILLERY_MAX_UPLOAD_MIB")).toMatchObject({ value: "7", source: "environment" });
  expect(of("DATABASE_URL")).toMatchObject({ value: "postgres://db:5432,other:5432/d", ...told });
  expect(of("LLM_BASE_URL")).toMatchObject({ value: "https://llm.example.com/v1" });
  expect(of("OBJECT_STORE_URL")?.value).toBe(
    "s3://bucket/some?endpoint=http://minio:9000/&region=eu&pathStyle=1",
  );
  expect(of("DISTILLERY_API_KEY")).toMatchObject({ value: null, isSecret: true, isSet: true });
  expect(of("OIDC_CLIENT_ID")).toMatchObject({ value: "console", isSet: true });
  expect(of("OIDC_CLIENT_SECRET")).toMatchObject({ value: null, isSecret: true, isSet: true });
  expect(of("DISTILLERY_ADAPTER")).toMatchObject({ value: null, isSet: false, isSecret: false });
});

it("says what is not set", () => {
  const settings = settingsOf(parseConfig({}));
  const unset = settings.filter(({ isSet }) => !isSet).map(({ name }) => name);
  expect(unset).toContain("DISTILLERY_API_KEY");
  expect(unset).not.toContain("PORT");
  expect(settings.every(({ source }) => source === "default")).toBe(true);
});
