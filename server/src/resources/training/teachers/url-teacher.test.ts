/** A teacher behind a URL, against a server that misbehaves in every way. */

import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Task } from "@distillery/engine";
import { TeacherError } from "@distillery/engine";
import fc from "fast-check";
import { afterAll, afterEach, beforeAll, describe, expect, it } from "vitest";
import { GuardedOutbound } from "../../../platform/net/guarded-outbound.ts";
import { UrlTeacher, type UrlTeacherSettings } from "./url-teacher.ts";

interface Asked {
  readonly samples: readonly (readonly (number | string | null)[])[];
  readonly feature_names: readonly string[];
}
type Answering = (asked: Asked, response: ServerResponse, request: IncomingMessage) => void;

const SECRET = "Bearer s3cret-token-0123456789";
const QUICK: UrlTeacherSettings = {
  limits: { samples: 10, bytes: 10_000, probe: 2 },
  retries: { attempts: 3, baseMs: 2, longestMs: 4, longestRetryAfterMs: 2000 },
  concurrency: 3,
  timeoutMs: 20_000,
  bodyTimeoutMs: 20_000,
  redirects: 2,
};
const IMPATIENT = { timeoutMs: 200, bodyTimeoutMs: 300 };
const regression: Task = { kind: "regression", classes: [] };
const binclass: Task = { kind: "binclass", classes: ["no", "yes"] };

let answering: Answering;
let requests: { readonly asked: Asked; readonly headers: IncomingMessage["headers"] }[] = [];
let underWay = 0;
let mostUnderWay = 0;
const server = createServer((request, response) => {
  underWay += 1;
  mostUnderWay = Math.max(mostUnderWay, underWay);
  response.on("close", () => {
    underWay -= 1;
  });
  let body = "";
  request.on("data", (chunk: Buffer) => {
    body += chunk.toString();
  });
  request.on("end", () => {
    const asked: Asked = body === "" ? { samples: [], feature_names: [] } : JSON.parse(body);
    requests.push({ asked, headers: request.headers });
    answering(asked, response, request);
  });
});
let url = "";
const outbound = new GuardedOutbound({ allowPrivateNetwork: true });
const strict = new GuardedOutbound({ allowPrivateNetwork: false });

beforeAll(async () => {
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  url = `http://127.0.0.1:${typeof address === "object" ? address?.port : 0}/predict?key=in-the-query`;
});
afterEach(() => {
  requests = [];
  mostUnderWay = 0;
});
afterAll(async () => {
  await Promise.all([outbound.close(), strict.close()]);
  server.closeAllConnections();
  await new Promise((resolve) => server.close(resolve));
});

const json = (response: ServerResponse, value: unknown): void => {
  response.setHeader("content-type", "application/json");
  response.end(JSON.stringify(value));
};
const sum = (row: readonly (number | string | null)[]): number =>
  row.reduce<number>((total, cell) => total + Number(cell ?? 0), 0);
const adding: Answering = ({ samples }, response) =>
  json(response, { predictions: samples.map(sum) });

const teacher = (settings: Partial<UrlTeacherSettings> = {}, through = outbound): UrlTeacher =>
  new UrlTeacher({
    url,
    headers: { Authorization: SECRET, "X-Team": "blue-team-7" },
    outbound: through,
    settings: { ...QUICK, ...settings },
  });
const samplesOf = (rows: readonly (readonly (number | null)[])[], task = regression) => ({
  task,
  featureNames: ["a", "b"],
  kinds: ["numeric" as const, "numeric" as const],
  rows,
});
const counting = (count: number): number[][] => Array.from({ length: count }, (_, i) => [i, 1]);
const signal = new AbortController().signal;

async function faultOf(
  behaviour: Answering,
  {
    rows = 30,
    task = regression,
    settings = {},
  }: {
    rows?: number;
    task?: Task;
    settings?: Partial<UrlTeacherSettings>;
  } = {},
): Promise<string> {
  answering = behaviour;
  const error: unknown = await teacher(settings)
    .predict(samplesOf(counting(rows), task), signal)
    .catch((thrown: unknown) => thrown);
  expect(error).toBeInstanceOf(TeacherError);
  const message = error instanceof Error ? error.message : "";
  for (const secret of ["s3cret-token", "blue-team", "in-the-query"]) {
    expect(message).not.toContain(secret);
  }
  expect(message).toMatch(/^The teacher at 127\.0\.0\.1:\d+, batch \d+ \(rows \d+ to \d+\): /);
  return message;
}

describe("a teacher that works", () => {
  it("is sent samples and feature names, a few first, then in batches a few at a time", async () => {
    answering = adding;
    const values = await teacher().predict(samplesOf(counting(45)), signal);
    expect(Array.from(values)).toEqual(counting(45).map(sum));
    expect(requests[0]?.asked).toEqual({
      samples: [
        [0, 1],
        [1, 1],
      ],
      feature_names: ["a", "b"],
    });
    expect(requests.map(({ asked }) => asked.samples.length).sort((a, b) => a - b)).toEqual([
      2, 3, 10, 10, 10, 10,
    ]);
    expect(mostUnderWay).toBeLessThanOrEqual(3);
    for (const { headers } of requests) {
      expect(headers["authorization"]).toBe(SECRET);
      expect(headers["content-type"]).toBe("application/json");
    }
  });

  it("is asked equal rows once, over all questions, whatever rows come", async () => {
    answering = adding;
    const cell = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constant(null));
    const rows = fc.array(fc.tuple(cell, cell), { minLength: 1, maxLength: 40 });
    await fc.assert(
      fc.asyncProperty(fc.array(rows, { minLength: 1, maxLength: 3 }), async (questions) => {
        requests = [];
        const asking = teacher();
        for (const question of questions) {
          const values = await asking.predict(samplesOf(question), signal);
          expect(Array.from(values)).toEqual(question.map(sum));
        }
        const sent = requests.flatMap(({ asked }) =>
          asked.samples.map((row) => JSON.stringify(row)),
        );
        expect(new Set(sent).size).toBe(sent.length);
        expect(new Set(sent)).toEqual(new Set(questions.flat().map((row) => JSON.stringify(row))));
      }),
      { numRuns: 25 },
    );
  });

  it("is sent bodies of a bounded size", async () => {
    answering = adding;
    const limits = { samples: 1000, bytes: 200, probe: 1 };
    await teacher({ limits }).predict(samplesOf(counting(100)), signal);
    for (const { asked } of requests) expect(JSON.stringify(asked).length).toBeLessThanOrEqual(200);
  });

  it.each([429, 502, 503, 504])("is asked again after status %i", async (status) => {
    let failures = 0;
    answering = (asked, response, request) => {
      failures += 1;
      if (failures % 2 === 0) return adding(asked, response, request);
      response.writeHead(status, { "retry-after": "0" }).end("busy");
    };
    const values = await teacher({ concurrency: 1 }).predict(samplesOf(counting(12)), signal);
    expect(values[11]).toBe(12);
  });

  it("is not asked again before it says so", async () => {
    const times: number[] = [];
    answering = (asked, response, request) => {
      times.push(Date.now());
      if (times.length > 1) return adding(asked, response, request);
      response.writeHead(503, { "retry-after": "1" }).end();
    };
    await teacher().predict(samplesOf(counting(1)), signal);
    expect((times[1] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(990);
  });

  it("is asked again where the connection breaks", async () => {
    let broken = false;
    answering = (asked, response, request) => {
      if (broken) return adding(asked, response, request);
      broken = true;
      request.socket.destroy();
    };
    expect((await teacher().predict(samplesOf(counting(1)), signal))[0]).toBe(1);
  });
});

describe("a teacher that does not work fails in its first batch", () => {
  const answers: [string, Answering, RegExp][] = [
    [
      "HTML",
      (_, response) => response.end("<html>Welcome</html>"),
      /batch 1 \(rows 1 to 2\): its answer is not JSON: '<html>/,
    ],
    [
      "status 500",
      (_, response) => response.writeHead(500).end("stack trace"),
      /status 500: 'stack trace'/,
    ],
    [
      "status 401",
      (_, response) => response.writeHead(401).end(),
      /status 401 \(see teacher_headers\)/,
    ],
    ["status 204", (_, response) => response.writeHead(204).end(), /it is empty/],
    ["too few", (_, response) => json(response, [1]), /1 prediction for 2 samples/],
    ["too many", (_, response) => json(response, [1, 2, 3]), /3 predictions for 2 samples/],
    [
      "NaN",
      (_, response) => response.end('{"predictions":[1,NaN]}'),
      /prediction 2 of the batch, for row 2: .*NaN/,
    ],
    [
      "an endless answer",
      (_, response) => response.end(`[${"1,".repeat(100_000)}1]`),
      /larger than/,
    ],
    [
      "endless redirects",
      (_, response) => response.writeHead(307, { location: "/again" }).end(),
      /status 307 \(a redirect that is not followed\)/,
    ],
    [
      "a redirect to another scheme",
      (_, response) => response.writeHead(307, { location: "file:///etc/passwd" }).end(),
      /must begin with https/,
    ],
    [
      "a redirect to a metadata service",
      (_, response) => response.writeHead(308, { location: "http://169.254.169.254/latest" }).end(),
      /metadata service/,
    ],
    [
      "endless patience",
      (_, response) => response.writeHead(503, { "retry-after": "999" }).end(),
      /wait for 999 s/,
    ],
    [
      "always busy",
      (_, response) => response.writeHead(429).end(),
      /status 429; it was asked 3 times/,
    ],
    ["hanging up", (_, _response, request) => request.socket.destroy(), /it was asked 3 times/],
    [
      "its headers back",
      (_, response, request) =>
        response
          .writeHead(400)
          .end(`no: ${request.headers.authorization} ${request.headers["x-team"]}`),
      /status 400: 'no: \*\*\* \*\*\*'/,
    ],
    [
      "its headers for predictions",
      (_, response, request) => json(response, [request.headers.authorization, 1]),
      /finite number, but is '\*\*\*'/,
    ],
  ];
  it.each(answers)("%s", async (_, behaviour, message) => {
    expect(await faultOf(behaviour)).toMatch(message);
    expect(requests.every(({ asked }) => asked.samples.length <= 2)).toBe(true);
  });

  it("no answer, and one that drips", async () => {
    const silent = await faultOf(() => undefined, { settings: IMPATIENT });
    expect(silent).toMatch(/did not answer in time \(an answer may begin within 0\.2 s/);
    const dripping: Answering = (_, response) => {
      const drip = setInterval(() => response.write(" "), 20);
      response.on("close", () => clearInterval(drip));
    };
    const slow = await faultOf(dripping, { settings: { bodyTimeoutMs: 300 } });
    expect(slow).toMatch(/did not end in time/);
  });

  it("probabilities that do not sum to 1, and classes that the label has not", async () => {
    const probabilities: Answering = ({ samples }, response) =>
      json(
        response,
        samples.map(() => [0.5, 0.3]),
      );
    expect(await faultOf(probabilities, { task: binclass })).toMatch(/for row 1: .*sum to 0\.8/);
    const classes: Answering = ({ samples }, response) =>
      json(response, { predictions: samples.map(() => [0.5, 0.5]), classes: ["no", "maybe"] });
    expect(await faultOf(classes, { task: binclass })).toMatch(/the class 'maybe'/);
  });
});

it("a fault in a later batch is told with its rows, and ends the others", async () => {
  const message = await faultOf(({ samples }, response) => {
    json(
      response,
      samples.map((row) => (row[0] === 25 ? null : 1)),
    );
  });
  expect(message).toMatch(/\(rows 23 to 30\): prediction 4 of the batch, for row 26: .*null/);
});

it("a private address is refused before anything is sent", async () => {
  answering = adding;
  const error: unknown = await teacher({}, strict)
    .predict(samplesOf(counting(3)), signal)
    .catch((thrown: unknown) => thrown);
  expect(String(error)).toMatch(/loopback/);
  expect(requests).toEqual([]);
});

it("nobody there is told after a few tries", async () => {
  const gone = new UrlTeacher({
    url: "http://127.0.0.1:9/predict",
    headers: {},
    outbound,
    settings: QUICK,
  });
  await expect(gone.predict(samplesOf(counting(1)), signal)).rejects.toThrow(
    /cannot be reached; it was asked 3 times/,
  );
});

it("a cancelled question ends at once with the reason", async () => {
  answering = () => undefined;
  const cancel = new AbortController();
  const asked = teacher({ timeoutMs: 60_000 }).predict(samplesOf(counting(3)), cancel.signal);
  setTimeout(() => cancel.abort(new Error("cancelled here")), 20);
  await expect(asked).rejects.toThrow("cancelled here");
});
