import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { afterAll, beforeAll } from "vitest";
import { type AwsClients, localClients } from "../../../tools/operations/aws/aws-clients.ts";
import { findTarget } from "../../../tools/operations/find-target.ts";
import { readLocalDescription } from "../../../tools/operations/local-stack/local-description.ts";
import type { ConnectedTarget } from "../../../tools/operations/ports/target.ts";
import { readOrderTimeline } from "../../../tools/operations/timeline/order-timeline.ts";
import { until } from "../../end-to-end/running-stack.ts";
import { type Run, runHere } from "../cli/run-paycast.ts";
import { useLooksWithoutWaiting } from "./look-without-waiting.ts";
import type { TestStackParts, TestTarget } from "./test-target.ts";

/** A stack and its operator. */
export interface OperatedTarget extends Operator {
  readonly parts: () => TestStackParts;
}

export interface Operator extends TestTarget {
  /** Its `local.json` describes the stack. */
  readonly directory: string;
  /** Runs `npx paycast` with these words on this stack, in this process. */
  readonly paycast: (...args: string[]) => Promise<Run>;
  /** The same with `--json`, parsed. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  readonly paycastJson: (...args: string[]) => Promise<any>;
  /** The audit log, one line of JSON for each act. */
  readonly auditLines: () => string[];
  /** Waits until the order has the status in the table, without asking the service as the storefront does. */
  readonly untilStored: (orderNo: string, status: string) => Promise<void>;
}

/** The operator of the stack that an earlier hook has described in this folder. */
export function useOperator(directory: string): Operator {
  let target: ConnectedTarget;
  let clients: AwsClients;
  useLooksWithoutWaiting();
  beforeAll(async () => {
    target = await findTarget({ directory });
    const { region, aws } = await readLocalDescription(directory);
    clients = localClients({ region, ...aws });
    process.env["PAYCAST_DIRECTORY"] = directory;
  });
  afterAll(() => {
    target.close();
    clients.destroy();
  });
  const paycast = (...args: string[]) => runHere(args);
  return {
    directory,
    target: () => target,
    clients: () => clients,
    paycast,
    paycastJson: async (...args) => {
      const { out, err } = await paycast(...args, "--json");
      if (out === "") throw new Error(`paycast ${args.join(" ")} printed nothing: ${err}`);
      return JSON.parse(out);
    },
    auditLines: () => {
      const file = join(directory, "audit.log");
      return existsSync(file) ? readFileSync(file, "utf8").trim().split("\n") : [];
    },
    untilStored: async (orderNo, status) => {
      await until(`${orderNo} to be stored as ${status}`, async () => {
        const { order } = await readOrderTimeline(target, orderNo);
        return order?.status === status ? true : undefined;
      });
    },
  };
}
