import { execFileSync } from "node:child_process";
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { packEvents } from "../../../infra/packages/events/pack-events.ts";

const folder = mkdtempSync(join(tmpdir(), "paycast-events-content-"));
afterAll(() => rmSync(folder, { recursive: true }));
beforeAll(async () => {
  execFileSync("tar", ["xzf", await packEvents(folder), "-C", folder]);
}, 120_000);

const read = (name: string) => readFileSync(join(folder, "package", name), "utf8");

describe("the package paycast-events", () => {
  test.each(["index.js", "index.cjs", "testing.js", "testing.cjs"])(
    "has no code of others in %s",
    (name) => {
      // esbuild writes the path of each file above its code.
      const sources = [...read(name).matchAll(/^ *\/\/ (\S+\.[cm]?[jt]sx?)$/gm)].map(
        ([, path = ""]) => path,
      );
      expect(sources.length).toBeGreaterThan(1);
      for (const path of sources) expect(path).toMatch(/^(shared|infra\/packages\/events)\//);
      expect(read(name)).not.toMatch(/\brequire\(|^import .* from "[^.]/m);
    },
  );

  test("needs no package, so that it has no notices of others either", () => {
    const manifest = JSON.parse(read("package.json"));
    for (const kind of ["dependencies", "peerDependencies", "optionalDependencies"]) {
      expect(manifest).not.toHaveProperty(kind);
    }
    expect(readdirSync(join(folder, "package"))).not.toContain("node_modules");
    expect(read("LICENSE")).toContain("MIT License");
  });
});
