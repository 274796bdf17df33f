import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { onTestFinished } from "vitest";
import { findTarget } from "../../../tools/operations/find-target.ts";
import type { Target } from "../../../tools/operations/ports/target.ts";
import { type FaultProxy, startFaultProxy } from "../../integration/fault-proxy.ts";
import type { OperatedTarget } from "./use-operator.ts";

export interface FaultyTarget {
  /** Like the stack's own folder, but its calls to SQS and Secrets Manager go through the proxy. */
  readonly directory: string;
  readonly target: Target;
  readonly proxy: FaultProxy;
}

/** The same stack as an operator with a bad connection sees it. */
export async function faultyTarget(
  operated: OperatedTarget,
  onDeath: () => void = () => {},
): Promise<FaultyTarget> {
  const description = JSON.parse(readFileSync(join(operated.directory, "local.json"), "utf8"));
  const proxy = await startFaultProxy(description.aws, onDeath);
  const directory = mkdtempSync(join(tmpdir(), "paycast-faulty-"));
  const { endpoint } = proxy;
  const aws = { ...description.aws, sqs: endpoint, secretsmanager: endpoint };
  writeFileSync(join(directory, "local.json"), JSON.stringify({ ...description, aws }));
  const target = await findTarget({ directory });
  onTestFinished(async () => {
    target.close();
    await proxy.stop();
    rmSync(directory, { recursive: true, force: true });
  });
  return { directory, target, proxy };
}
