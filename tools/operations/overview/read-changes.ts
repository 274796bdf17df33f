import { parseJson } from "../../../shared/json/parse-json.ts";
import { explainAwsError } from "../explain-error.ts";
import type { Audit } from "../ports/audit.ts";
import { keepAMinute } from "../ports/metrics.ts";
import type { StackChange } from "../ports/stack.ts";
import { keptFor, type Target } from "../ports/target.ts";
import { auditSchema, changeOfAudit } from "./change-words.ts";

/** The changes of the last day. */
export interface Changes {
  /** Newest first. */
  readonly changes: readonly StackChange[];
  /** Why some may be missing. */
  readonly changesProblem: string | undefined;
}

const dayMilliseconds = 24 * 3_600_000;
/** Enough to find a cause. */
const mostChanges = 20;

const kept = keptFor(() => keepAMinute<Changes>(Date.now));

/** The changes of the last day, such as deployments and keys. AWS is called once a minute. */
export async function readChanges(
  target: Pick<Target, "stack" | "clock" | "audit">,
): Promise<Changes> {
  if (target.stack.kind === "local") return await readAll(target);
  return await kept(target)("", () => readAll(target));
}

async function readAll(target: Pick<Target, "stack" | "clock" | "audit">): Promise<Changes> {
  const since = target.clock.now() - dayMilliseconds;
  const found = await Promise.allSettled([
    target.stack.changesSince(since),
    auditedChanges(target.audit, since),
  ]);
  const problems = found.flatMap((result) =>
    result.status === "fulfilled" ? [] : [messageOf(result.reason)],
  );
  const changes = found
    .flatMap((result) => (result.status === "fulfilled" ? result.value : []))
    .filter(({ at }) => Date.parse(at) >= since)
    .sort((left, right) => Date.parse(right.at) - Date.parse(left.at));
  return { changes: changes.slice(0, mostChanges), changesProblem: problems[0] };
}

function messageOf(error: unknown): string {
  return explainAwsError(error)?.message ?? String(error);
}

async function auditedChanges(audit: Audit, since: number): Promise<StackChange[]> {
  const { lines } = await audit.read({ sinceMilliseconds: since, most: mostChanges });
  return lines.flatMap(changeOfLine);
}

function changeOfLine(line: string): StackChange[] {
  const { data } = auditSchema.safeParse(parseJson(line));
  const change = data && changeOfAudit(data);
  return change === undefined ? [] : [change];
}
