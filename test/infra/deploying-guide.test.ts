import { spawnSync } from "node:child_process";
import { copyFileSync, cpSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { describe, expect, test } from "vitest";
import { blocksOf, markdownFiles } from "../checks/markdown.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";

const root = fileURLToPath(new URL("../..", import.meta.url));
const folder = temporaryFolder("guide");
const everything = markdownFiles()
  .map((file) => readFileSync(file, "utf8"))
  .join("\n");
const guide = blocksOf("docs/deploying.md");

/** Each `npx cdk …` of the documents: its command, and its options. */
function cdkCommands(): Map<string, Set<string>> {
  const found = new Map<string, Set<string>>();
  for (const [, line = ""] of everything.replaceAll("\\\n", " ").matchAll(/npx cdk ([^`\n)]+)/g)) {
    const [command = "", ...words] = line.split(/\s+/);
    const options = words.flatMap((word) => /^--?[a-z][a-z-]*/.exec(word)?.[0] ?? []);
    found.set(command, new Set([...(found.get(command) ?? []), ...options]));
  }
  return found;
}

describe("the CDK commands of the documents", () => {
  test("are found", () => {
    const names = ["bootstrap", "deploy", "destroy", "diff", "drift", "gc", "import", "synth"];
    expect([...cdkCommands().keys()].sort()).toEqual(names);
  });

  test.each([...cdkCommands()])("cdk %s has the options that are used", (command, options) => {
    const cdk = join(root, "node_modules", ".bin", "cdk");
    const env = { PATH: process.env["PATH"], HOME: folder };
    const { stdout } = spawnSync(cdk, [command, "--help"], { encoding: "utf8", env });
    expect(stdout).toContain(`cdk ${command}`);
    for (const option of options) expect(stdout).toMatch(new RegExp(`${option}[ ,\\n]`));
  });

  test("an unstable one is opted in, because it stops otherwise", () => {
    expect(everything.match(/npx cdk gc(?! --unstable=gc)/)).toBeNull();
  });
});

test("git ignores each key file that a document names", () => {
  const names = everything.matchAll(
    /(?<=[\s`])((?:keys\/)?(?:aes\.txt|[a-z]+\.pem|(?:callback|request)-keys\.json))\b/g,
  );
  const files = [...new Set([...names].map(([, name = ""]) => name))];
  expect(files).toContain("keys/service.pem");
  copyFileSync(join(root, ".gitignore"), join(folder, ".gitignore"));
  const git = (...args: string[]) => spawnSync("git", args, { cwd: folder, encoding: "utf8" });
  git("init");
  expect(
    git("check-ignore", ...files)
      .stdout.trim()
      .split("\n"),
  ).toEqual(files);
});

test("the copies of the two policies have nothing of the example's account, region and zone", () => {
  const copying = guide.find(({ text }) => text.startsWith("ACCOUNT="))!.text;
  const [example = ""] = copying.split("\n");
  const words = [...example.matchAll(/=(\S+)/g)].map(([, word = ""]) => word);
  expect(words).toHaveLength(3);
  const script = copying.replace(example, "ACCOUNT=210987654321 REGION=us-east-2 ZONE=Z9");
  cpSync(join(root, "docs/policies"), join(folder, "docs/policies"), { recursive: true });
  expect(spawnSync("sh", ["-c", script], { cwd: folder }).status).toBe(0);
  const copies = ["boundary.json", "deployment.json"].map((name) =>
    JSON.stringify(JSON.parse(readFileSync(join(folder, name), "utf8"))),
  );
  for (const copy of copies) expect(copy).toContain("us-east-2:210987654321");
  expect(copies.join()).toContain("hostedzone/Z9");
  for (const word of words) expect(copies.join()).not.toContain(word);
});

describe("the documented pipeline", () => {
  const workflow = guide.find(({ language }) => language === "yaml")!.text;
  const policies = guide.filter(({ language }) => language === "json").map(({ text }) => text);
  const text = readFileSync("docs/deploying.md", "utf8");
  /** The lines of each job by its name. */
  const jobs = new Map(
    workflow
      .slice(workflow.indexOf("jobs:\n") + 6)
      .split(/^ {2}(?=\w)/m)
      .map((job) => [job.slice(0, job.indexOf(":")), job] as const),
  );

  test("gives a token of GitHub only to the jobs that take a role over", () => {
    expect(workflow.slice(0, workflow.indexOf("jobs:"))).not.toContain("id-token");
    const withToken = [...jobs].filter(([, job]) => job.includes("id-token: write"));
    const withRole = [...jobs].filter(([, job]) => job.includes("role-to-assume"));
    expect(withToken).toEqual(withRole);
    expect(withRole.map(([name]) => name)).toEqual(["diff", "deploy"]);
  });

  test("deploys only in the environment that the role's trust names, after the difference was shown", () => {
    const trust = policies.find((policy) => policy.includes("AssumeRoleWithWebIdentity"))!;
    const { StringEquals } = JSON.parse(trust).Statement[0].Condition;
    const [, environment] = /^ +environment: (\w+)$/m.exec(jobs.get("deploy")!)!;
    expect(StringEquals["token.actions.githubusercontent.com:sub"]).toBe(
      `repo:example@1234567/payments@987654321:environment:${environment}`,
    );
    expect(StringEquals["token.actions.githubusercontent.com:aud"]).toBe("sts.amazonaws.com");
    expect(jobs.get("deploy")).toContain("needs: diff\n");
    expect(jobs.get("diff")).toContain("needs: check\n");
    expect(jobs.get("deploy")).toContain("role/deploy-payments");
    expect(text).toContain("create-role --role-name deploy-payments ");
  });

  test("shows the difference with a role of the branch alone, which only reads", () => {
    const [, branch] = /branches: \[(\w+)\]/.exec(workflow)!;
    expect(text).toContain(`ends with \`:ref:refs/heads/${branch}\` instead of`);
    expect(jobs.get("diff")).toContain("role/diff-payments");
    // Any other method takes over the role that deploys.
    expect(jobs.get("diff")).toContain("npx cdk diff --method template ");
  });

  test("answers no question", () => {
    expect(jobs.get("deploy")).toContain("--require-approval never");
  });
});
