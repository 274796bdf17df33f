import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { resourcesOf, synthesizeTemplate } from "../infra/stack-template.ts";

interface Statement {
  readonly Action: string | readonly string[];
  readonly Resource: string | readonly string[];
}

const policies: readonly (readonly Statement[])[] = ["look", "act", "keys-and-money"].map(
  (name) => JSON.parse(readFileSync(`docs/policies/${name}.json`, "utf8")).Statement,
);
const statements = policies.flat();
const allowed = new Set(statements.flatMap(({ Action }) => Action));

const services: Readonly<Record<string, string>> = {
  "secrets-manager": "secretsmanager",
  "cloudwatch-logs": "logs",
};

/** The action of each call that the operations make themselves. */
function actionsOfOperations(): Set<string> {
  const files = readdirSync("operations", { recursive: true, encoding: "utf8" });
  const sources = files
    .filter((file) => file.endsWith(".ts"))
    .map((file) => readFileSync(join("operations", file), "utf8"))
    .join("\n");
  const imports = sources.matchAll(/import \{([^}]+)\} from "@aws-sdk\/client-([a-z-]+)"/g);
  const actions = [...imports].flatMap(([, names = "", client = ""]) =>
    [...names.matchAll(/\b(?:(\w+?)(?:Batch)?Command|paginate(\w+))\b/g)].map(
      ([, call, listed]) => `${services[client] ?? client}:${call ?? listed}`,
    ),
  );
  // Everybody may ask who they are.
  return new Set(actions.filter((action) => action !== "sts:GetCallerIdentity"));
}

test("the policies for operators allow every call of an operation", () => {
  const needed = actionsOfOperations();
  expect(needed.size).toBeGreaterThan(15);
  for (const action of needed) expect(allowed).toContain(action);
});

test("people who look may run the runbook's queries over every log of the stack", () => {
  const [look = []] = policies;
  const actions = look.flatMap(({ Action }) => Action);
  expect(actions).toContain("logs:GetQueryResults");
  expect(actions).toContain("cloudwatch:GetDashboard");
  const query = look.find(({ Action }) => Action.includes("logs:StartQuery"));
  const patterns = [query?.Resource ?? []].flat().map((arn) => arn.split(":log-group:")[1]!);
  for (const [id, { Properties }] of resourcesOf(synthesizeTemplate(), "AWS::Logs::LogGroup")) {
    // CloudFormation begins a name with that of the stack.
    const name: string = Properties.LogGroupName ?? `Paycast-${id}-1ABC`;
    const isCovered = patterns.some((pattern) => name.startsWith(pattern.replace("*", "")));
    expect(isCovered, name).toBe(true);
  }
});
