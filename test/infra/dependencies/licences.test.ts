import { existsSync, readFileSync } from "node:fs";
import { describe, expect, test } from "vitest";
import {
  installedLicences,
  licenceFaults,
  shippedLicences,
} from "../../../infra/dependencies/licences.ts";
import { lockedPackages } from "../../../infra/dependencies/lock-file.ts";
import { shippedParts } from "../../../infra/dependencies/shipped-parts.ts";
import { bundledPackages } from "../../../infra/packages/construct/bundled-packages.ts";

describe("the licence", () => {
  test("of everything that is shipped may be passed on", { timeout: 120_000 }, async () => {
    const packages = bundledPackages((await shippedParts()).flatMap(({ content }) => content));
    expect(packages.length).toBeGreaterThan(20);
    expect(licenceFaults(packages, shippedLicences)).toEqual([]);
  });

  test("of everything that is installed, on any platform, is allowed", () => {
    const packages = lockedPackages();
    expect(packages.length).toBeGreaterThan(200);
    expect(licenceFaults(packages, installedLicences)).toEqual([]);
  });

  test("in the lock file is the one that the installed package names", () => {
    const installed = lockedPackages().filter(({ path }) => existsSync(`${path}/package.json`));
    expect(installed.length).toBeGreaterThan(200);
    for (const { path, licence } of installed) {
      const { license } = JSON.parse(readFileSync(`${path}/package.json`, "utf8"));
      expect(typeof license === "string" ? license : JSON.stringify(license), path).toBe(licence);
    }
  });
});

describe("a package under", () => {
  const faultsOf = (licence: string, allowed = shippedLicences) =>
    licenceFaults([{ name: "left-pad", version: "1.0.0", licence }], allowed);

  test.each([
    ...["MIT", "(MIT OR GPL-3.0-or-later)", "MIT OR WTFPL", "MIT AND ISC"],
    "GPL-2.0-only OR MIT AND ISC",
  ])("%s may be shipped", (licence) => {
    expect(faultsOf(licence)).toEqual([]);
  });

  test.each([
    ...["GPL-3.0-only", "MPL-2.0", "UNLICENSED", "SEE LICENSE IN LICENSE.md", "", "none", "mit"],
    ...["MIT AND GPL-3.0-only", "(MIT OR (GPL-2.0-only AND ISC))", '["MIT","Apache2"]'],
  ])("%s may not be shipped, and the message says what to do", (licence) => {
    const [fault] = faultsOf(licence);
    expect(fault).toContain(`left-pad 1.0.0: ${licence} is not an allowed licence`);
    expect(fault).toContain("Use another package");
  });

  test("MPL-2.0 may be installed, since we do not pass it on", () => {
    expect(faultsOf("MPL-2.0", installedLicences)).toEqual([]);
  });

  test("no licence at all is a fault, and no reason to stop reading the lock file", () => {
    const lock = { packages: { "": {}, "node_modules/left-pad": { version: "1.0.0" } } };
    const [fault] = licenceFaults(lockedPackages(JSON.stringify(lock)), installedLicences);
    expect(fault).toContain("left-pad 1.0.0: none is not an allowed licence");
  });
});
