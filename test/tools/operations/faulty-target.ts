import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findTarget } from "../../../tools/operations/target/find-target.ts";
import type { Target } from "../../../tools/operations/target/target.ts";
import { type FaultProxy, startFaultProxy } from "../../integration/fault-proxy.ts";
import type { OperatedStack } from "./operated-stack.ts";

export interface FaultyTarget {
  /** Like the stack's own folder, but its calls to SQS and Secrets Manager go through the proxy. */
  readonly directory: string;
  readonly target: Target;
  readonly proxy: FaultProxy;
}

/** The same stack as an operator with a bad connection sees it. */
export async function faultyTarget(
  operated: OperatedStack,
  onDeath: () => void = () => {},
): Promise<FaultyTarget> {
  const { aws } = operated.stack().description;
  const proxy = await startFaultProxy(aws, onDeath);
  const directory = mkdtempSync(join(tmpdir(), "paycast-faulty-"));
  const description = JSON.parse(readFileSync(join(operated.directory, "local.json"), "utf8"));
  description.aws.sqs = proxy.endpoint;
  description.aws.secretsmanager = proxy.endpoint;
  writeFileSync(join(directory, "local.json"), JSON.stringify(description));
  const target = await findTarget({ directory });
  onTestFinished(async () => {
    target.clients.destroy();
    await proxy.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return { directory, target, proxy };
}
