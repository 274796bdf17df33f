import { beforeAll, describe, expect, test } from "vitest";
import { type Project, root, usePackage } from "./installed-package.ts";

/** On Node 20 the AWS SDK warns in every process that makes a client. On later versions there is nothing to see. */
const warning = "NodeVersionSupportWarning";
const variable = "AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED";
/** Nobody listens there, so a command has made its clients before it gives up. */
const nowhere = {
  AWS_ENDPOINT_URL: "http://127.0.0.1:9",
  AWS_REGION: "eu-west-1",
  AWS_ACCESS_KEY_ID: "any",
  AWS_SECRET_ACCESS_KEY: "any",
};

const packed = usePackage();
let project: Project;
beforeAll(() => {
  project = packed.newProject("quiet", {}, {});
});

describe("the SDK's warning about Node 20", () => {
  test.each([
    ["the package", "node_modules/paycast/cli/paycast.js"],
    ["a checkout", `${root}cli/paycast.mjs`],
  ])("is not printed by the command of %s", (_, command) => {
    const { err } = project.run([command, "check", "--stack", "Shop"], nowhere);
    expect(err).toContain("cannot be reached");
    expect(err).not.toContain(warning);
  });

  test("is printed by it if somebody asks for it, where there is one", () => {
    const command = "node_modules/paycast/cli/paycast.js";
    const asked = { ...nowhere, [variable]: "false" };
    const { err } = project.run([command, "check", "--stack", "Shop"], asked);
    expect(err.includes(warning)).toBe(Number.parseInt(process.versions.node, 10) < 22);
  });

  test("stays on in a program that imports the construct", () => {
    const code = `require("paycast"); console.log(process.env.${variable})`;
    expect(project.run(["-e", code]).out).toBe("undefined\n");
  });
});
