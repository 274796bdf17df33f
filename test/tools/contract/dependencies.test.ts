import { readdirSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import packageJson from "../../../package.json" with { type: "json" };
import { checkNotices } from "../../../tools/contract/packages/third-party-notices.ts";

const direct: Record<string, string> = {
  ...packageJson.dependencies,
  ...packageJson.devDependencies,
  ...packageJson.optionalDependencies,
};

test("a bundle may hold only packages whose licence is in the notices", () => {
  const notices = "@aws-sdk/core 3.1.0\nApache-2.0\n…\nzod 4.6.7\nMIT\n…\n";
  const named = [
    "node_modules/zod/v4/core.js",
    "node_modules/@aws-sdk/core/a.js",
    "shared/hash.ts",
  ];
  expect(() => checkNotices(notices, named)).not.toThrow();
  const nested = "node_modules/zod/node_modules/fast-check/lib/index.js";
  expect(() => checkNotices(notices, [...named, nested])).toThrow(/^fast-check: /);
  expect(() => checkNotices(notices, ["node_modules/core/a.js"])).toThrow(/^core: /);
});

describe("package.json", () => {
  const lock: { packages: Record<string, { hasInstallScript?: boolean }> } = JSON.parse(
    readFileSync("package-lock.json", "utf8"),
  );

  test("has exact versions only, so that an update is always a change that somebody made", () => {
    for (const [name, version] of Object.entries(direct)) {
      expect(version, name).toMatch(/^\d+\.\d+\.\d+$/);
    }
  });

  test("brings each package of the AWS SDK once, so that no part of it is bundled twice", () => {
    const names = Object.keys(lock.packages).map((path) => path.split("node_modules/").at(-1)!);
    const parts = names.filter((name) => /^@(aws|aws-sdk|smithy)\//.test(name));
    expect(parts.length).toBeGreaterThan(20);
    expect(parts.toSorted()).toEqual([...new Set(parts)].toSorted());
  });

  test("lets no package run a script when it is installed", () => {
    const wanting = Object.entries(lock.packages)
      .filter(([, { hasInstallScript }]) => hasInstallScript)
      .map(([path]) => path.replace("node_modules/", ""));
    expect(wanting).toEqual(Object.keys(packageJson.allowScripts));
    expect(Object.values(packageJson.allowScripts)).not.toContain(true);
  });

  test("has the versions that the examples have", () => {
    for (const example of readdirSync("examples", { withFileTypes: true })) {
      const path = `examples/${example.name}/package.json`;
      if (
        !example.isDirectory() ||
        !readdirSync(`examples/${example.name}`).includes("package.json")
      )
        continue;
      const manifest = JSON.parse(readFileSync(path, "utf8"));
      const used = Object.entries<string>({
        ...manifest.dependencies,
        ...manifest.devDependencies,
      });
      for (const [name, version] of used) {
        if (!version.startsWith("file:")) expect(version, `${path} ${name}`).toBe(direct[name]);
      }
    }
  });
});
