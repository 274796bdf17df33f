import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { text } from "node:stream/consumers";
import { describe, expect, onTestFinished, test } from "vitest";
import type { AcceptedAdvisory } from "../../../infra/dependencies/accepted-advisories.ts";
import { judge } from "../../../infra/dependencies/judge-findings.ts";
import { readFindings } from "../../../infra/dependencies/read-findings.ts";
import { registryThatKnows, registryWithoutAudit } from "./registry.ts";

/** `npm run audit`, with the real npm, which asks the given registry. A cache of its own: npm keeps advisories by number. */
async function audit(registry: string) {
  const cache = mkdtempSync(join(tmpdir(), "paycast-audit-"));
  onTestFinished(() => rmSync(cache, { recursive: true, force: true }));
  const env = { ...process.env, npm_config_registry: registry, npm_config_cache: cache };
  const args = ["node_modules/tsx/dist/cli.mjs", "infra/dependencies/audit.ts"];
  const child = spawn(process.execPath, args, { env });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, code] = await Promise.all([text(child.stdout), closed]);
  return { out, code };
}

describe("npm run audit", { timeout: 120_000 }, () => {
  test("fails for a serious finding in what is shipped and in the CDK", async () => {
    const severities = { zod: "high", obliterator: "critical", minimatch: "high" };
    const advisories = Object.entries(severities).map(([name, severity]) => [
      name,
      { id: `A-${name}`, severity },
    ]);
    const { out, code } = await audit(await registryThatKnows(Object.fromEntries(advisories)));
    for (const [name, severity] of Object.entries(severities)) {
      const line = `fails: ${severity} in ${name}: Fault A-${name} (A-${name}), node_modules/`;
      expect(out).toContain(line);
    }
    expect(out).toContain("3 known vulnerabilities, of which 3 must be fixed.");
    expect(code).toBe(1);
  });

  test("tells, and does not fail for, a lesser finding or one in a tool of the tests", async () => {
    const registry = await registryThatKnows({
      zod: { id: "A-2", severity: "moderate" },
      "big.js": { id: "A-3", severity: "critical" },
    });
    const { out, code } = await audit(registry);
    expect(out).toMatch(/^noted: moderate in zod: .*A-2/m);
    expect(out).toMatch(/^noted: critical in big\.js: .*A-3/m);
    expect(code).toBe(0);
  });

  test("says that nothing is known", async () => {
    const { out, code } = await audit(await registryThatKnows({}));
    expect(out).toBe("0 known vulnerabilities, of which 0 must be fixed.\n");
    expect(code).toBe(0);
  });

  test("fails if it cannot read a finding, which would hide the others", async () => {
    const registry = await registryThatKnows({
      zod: { id: "A-4", severity: "critical" },
      "big.js": { id: "A-5", severity: "unheard-of" },
    });
    const { out, code } = await audit(registry);
    expect(out).toBe("The report of npm audit has a finding that cannot be read. Run npm audit.\n");
    expect(code).toBe(1);
  });

  test("says that nothing was checked if the registry does not tell or cannot be reached", async () => {
    for (const registry of [await registryWithoutAudit(), "http://127.0.0.1:9/"]) {
      const { out, code } = await audit(registry);
      expect(out).toMatch(/^NOT CHECKED: /);
      expect(code).toBe(0);
    }
  });
});

describe("an accepted advisory", () => {
  const finding = {
    ...{ id: "GHSA-1", name: "zod", title: "t", severity: "high" as const },
    paths: ["node_modules/zod"],
  };
  const accepted: AcceptedAdvisory[] = [{ id: "GHSA-1", reason: "r", until: "2027-02-01" }];
  const verdictOn = (day: string, id = "GHSA-1") =>
    judge(
      { ...finding, id },
      { guarded: new Set(finding.paths), accepted, now: new Date(`${day}T23:59:59Z`) },
    ).verdict;

  test("does not fail until its day, and fails from then on", () => {
    expect(verdictOn("2027-01-31")).toBe("accepted");
    expect(verdictOn("2027-02-01")).toBe("fails");
  });

  test("covers no other finding", () => {
    expect(verdictOn("2027-01-31", "GHSA-2")).toBe("fails");
  });
});

test("a package that is affected only through another is not counted twice", () => {
  const advisory = { name: "a", title: "t", url: "https://x.example/GHSA-1", severity: "high" };
  const vulnerabilities = {
    a: { nodes: ["node_modules/a"], via: [advisory] },
    b: { nodes: ["node_modules/b"], via: ["a"] },
  };
  const findings = readFindings(JSON.stringify({ auditReportVersion: 2, vulnerabilities }));
  expect(findings).toMatchObject([{ id: "GHSA-1", paths: ["node_modules/a"] }]);
});
