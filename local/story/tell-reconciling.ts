import type { Colours } from "../../shared/terminal-text.ts";
import { because, causeOf, type FunctionLine } from "./function-line.ts";

const findings = [
  { metric: "News", one: "answer with news", many: "answers with news" },
  { metric: "Unresolved", one: "order unresolved", many: "orders unresolved" },
  { metric: "QueryFailed", one: "question failed", many: "questions failed" },
  { metric: "ServiceRefused", one: "question refused", many: "questions refused" },
  { metric: "UnreadableAnswer", one: "answer unreadable", many: "answers unreadable" },
  { metric: "UnreadableOrder", one: "order unreadable", many: "orders unreadable" },
  {
    metric: "MerchantNotConfigured",
    one: "order of a merchant that is not configured",
    many: "orders of merchants that are not configured",
  },
] as const;

/** What a run of reconcile-orders found. Most runs find nothing, and nothing is told of them. */
export function tellReconciling(line: FunctionLine, { red }: Colours): string | undefined {
  if (line.outcome === "failed") return because(`reconciliation ${red("failed")}`, causeOf(line));
  const found = findings.flatMap(({ metric, one, many }) => {
    const count = line[metric];
    return count === 0 ? [] : [`${count} ${count === 1 ? one : many}`];
  });
  if (found.length === 0) return undefined;
  return because("reconciliation", because(found.join(", "), causeOf(line)));
}
