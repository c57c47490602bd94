/** A process's one session: the steps of a query, in their order, over its two instances. */

import type { Answer, InstanceLimits, Request } from "../messages.ts";
import { neededChunks } from "./column-chunks.ts";
import { lookAtCsv } from "./csv-file.ts";
import { engineErrorOf, failedAnswer, StatementError } from "./failure.ts";
import { withRow } from "./file-faults.ts";
import { emptyInstance, openPlanner, openRunner, type WalledInstance } from "./instances.ts";
import { checkJson } from "./json-faults.ts";
import { jsonLineOf } from "./json-lines.ts";
import { checkPacked } from "./packed-file.ts";
import { withColumnOfTime } from "./parquet-faults.ts";
import { explainPlan, planNeeds } from "./planner.ts";
import type { SendData } from "./result-spool.ts";
import { defineTables, describeSelect, reasonOfBreak, runStatement, textsOf } from "./runner.ts";
import { parseStatement } from "./statement.ts";

export class Session {
  readonly #hidden: readonly string[];
  readonly #send: SendData;
  #folder: string | null = null;
  #planner: Promise<WalledInstance> | null = null;
  #runner: Promise<WalledInstance> | null = null;
  /** Their values, as far as they are open: for interruptions, which wait for nothing. */
  readonly #open = new Set<WalledInstance>();
  #isInterrupted = false;

  /** @param hidden texts that no message may show */
  constructor(hidden: readonly string[], send: SendData) {
    this.#hidden = hidden;
    this.#send = send;
  }

  async answer(request: Request): Promise<Answer> {
    // What goes wrong before the statement runs is of its tables, and has no place in it.
    let prefixBytes = request.kind === "run" ? Number.MAX_VALUE : 0;
    try {
      switch (request.kind) {
        case "open":
          return await this.#renew(request.folder, request.limits);
        case "parse":
          return await parseStatement((await this.#of(this.#planner)).connection, request.sql);
        case "schema": {
          const { connection } = await this.#of(this.#runner);
          const { schema } = await describeSelect(connection, request.sql);
          return { kind: "schema", schema };
        }
        case "texts": {
          const { connection } = await this.#of(this.#runner);
          return { kind: "texts", texts: await textsOf(connection, request.sql) };
        }
        case "chunks": {
          const { connection } = await this.#of(this.#runner);
          return { kind: "chunks", files: await neededChunks(connection, request) };
        }
        case "packed":
          return { kind: "packed", lastLine: await checkPacked(request.path, request.hasLines) };
        case "json":
          await checkJson(request.path);
          return { kind: "json" };
        case "csv":
          return await lookAtCsv(request.path, request.look);
        case "plan": {
          const { connection } = await this.#of(this.#planner);
          return { kind: "planned", needs: await planNeeds(connection, request) };
        }
        case "explain": {
          const { connection } = await this.#of(this.#planner);
          const described = await describeSelect(connection, request.sql, request.parameters);
          return { kind: "explained", ...described, text: await explainPlan(connection, request) };
        }
        case "run": {
          const runner = await this.#of(this.#runner);
          const { connection } = runner;
          try {
            const blanks = await defineTables(runner, request);
            prefixBytes = blanks.length;
            const ran = await runStatement(connection, request, blanks, this.#send);
            if (ran !== null) return ran;
            // What was stopped must not begin again.
            if (this.#isInterrupted) throw new StatementError("cancelled", "The query was stopped");
            throw await reasonOfBreak(connection, request, blanks);
          } catch (error) {
            throw await withColumnOfTime(connection, error, request.tables);
          }
        }
      }
    } catch (error) {
      const folder = this.#folder;
      const { message } = engineErrorOf(error);
      const failed = failedAnswer(error, {
        sql: "sql" in request ? request.sql : "",
        prefixBytes,
        hidden: [...(folder === null ? [] : [folder]), ...this.#hidden],
        tables: request.kind === "run" ? request.tables : [],
        jsonLine: folder === null ? null : await jsonLineOf(message, folder),
      });
      if (folder === null) return failed;
      return { ...failed, message: await withRow(failed.message, folder) };
    }
  }

  interrupt(): void {
    this.#isInterrupted = true;
    for (const { connection } of this.#open) connection.interrupt();
  }

  /** The runner opens while the next statement is already parsed and planned. */
  async #renew(folder: string, limits: InstanceLimits): Promise<Answer> {
    const last = this.#runner;
    this.#folder = folder;
    this.#isInterrupted = false;
    if (last !== null) {
      const instance = await last;
      this.#open.delete(instance);
      instance.close();
    }
    if (this.#planner === null) this.#planner = this.#opened(openPlanner(limits));
    else await emptyInstance((await this.#planner).connection);
    this.#runner = this.#opened(openRunner(folder, limits));
    // Told to the request that needs it.
    this.#runner.catch(() => undefined);
    if (last === null) await Promise.all([this.#planner, this.#runner]);
    return { kind: "opened" };
  }

  async #opened(opening: Promise<WalledInstance>): Promise<WalledInstance> {
    const instance = await opening;
    this.#open.add(instance);
    return instance;
  }

  #of(instance: Promise<WalledInstance> | null): Promise<WalledInstance> {
    if (instance === null) throw new StatementError("failed", "No session is open");
    return instance;
  }
}
