import { execFile } from "node:child_process";
import { readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { createServer } from "node:http";
import { basename, join } from "node:path";
import { pathToFileURL } from "node:url";
import { promisify } from "node:util";
import { describe, expect, test, vi } from "vitest";
import { bundle, bundleFunctions } from "../../infra/lambda/bundle.ts";
import { defaultProvider } from "../../shared/environment-credentials.ts";
import { folderInside } from "../setup/temporary-folder.ts";

const run = promisify(execFile);
const folder = folderInside("bundles");

function entry(name: string, source: string): string {
  const path = join(folder, `${name}.ts`);
  writeFileSync(path, source);
  return path;
}

const out = join(folder, "out");

/** The two clients of receive-callback, the one function whose cold start somebody waits for. */
const withTwoClients = `
  import { GetSecretValueCommand, SecretsManagerClient } from "@aws-sdk/client-secrets-manager";
  import { SendMessageCommand, SQSClient } from "@aws-sdk/client-sqs";
  const secrets = new SecretsManagerClient();
  const sqs = new SQSClient({ useQueueUrlAsEndpoint: false, md5: false });
  export const handler = async () => {
    await secrets.send(new GetSecretValueCommand({ SecretId: "keys" }));
    await sqs.send(new SendMessageCommand({ QueueUrl: "https://q.example/1/q", MessageBody: "m" }));
  };
`;

describe("a bundle", () => {
  test("is one minified ES module that loads on this Node", async () => {
    const path = entry("plain", "export const handler = async (event: string) => event + '!';\n");
    const { directory, bytes } = await bundle("plain", path, out);
    expect(readdirSync(directory)).toEqual(["index.mjs"]);
    expect(bytes).toBeLessThan(200);
    const { handler } = await import(pathToFileURL(join(directory, "index.mjs")).href);
    expect(await handler("done")).toBe("done!");
  });

  test("names the files that contribute to it, built or not", async () => {
    entry("used", "export const used = () => 'used';\n");
    entry("unused", "export const unused = () => 'unused';\n");
    entry("barrel", 'export * from "./used.ts";\n');
    entry("types", "export type Only = string;\n");
    const path = entry(
      "content",
      `import { used } from "./barrel.ts";
       import { unused } from "./unused.ts";
       export * from "./types.ts";
       export const handler = () => used();
       const never = () => unused();\n`,
    );
    for (const unchanged of [false, true]) {
      const built = await bundle("content", path, out);
      expect(built.unchanged).toBe(unchanged);
      expect(built.content.map((file) => basename(file))).toEqual(["content.ts", "used.ts"]);
    }
  });

  test("is built again when its source changes, and only then", async () => {
    entry("part", "export const answer = 1;\n");
    const path = entry(
      "whole",
      'import { answer } from "./part.ts";\nexport const handler = () => answer;\n',
    );
    const isUnchanged = async () => (await bundle("whole", path, out)).unchanged;
    expect(await isUnchanged()).toBe(false);
    expect(await isUnchanged()).toBe(true);
    entry("part", "export const answer = 2;\n");
    expect(await isUnchanged()).toBe(false);
    expect(readFileSync(join(out, "whole", "index.mjs"), "utf8")).toContain("2");
    expect(await isUnchanged()).toBe(true);
  });

  test("is built again when it is gone or its stamp is torn", async () => {
    const path = entry("lost", "export const handler = () => 1;\n");
    const isUnchanged = async () => (await bundle("lost", path, out)).unchanged;
    await isUnchanged();
    rmSync(join(out, "lost"), { recursive: true });
    expect(await isUnchanged()).toBe(false);
    writeFileSync(join(out, "stamps", "lost.json"), '{"key"');
    expect(await isUnchanged()).toBe(false);
  });

  test("is the same bytes each time", async () => {
    const path = entry("twice", withTwoClients);
    const first = await bundle("twice", path, join(folder, "one"));
    const second = await bundle("twice", path, join(folder, "two"));
    const read = (directory: string) => readFileSync(join(directory, "index.mjs"));
    expect(read(first.directory).equals(read(second.directory))).toBe(true);
  });

  test("of receive-callback, whose cold start somebody waits for, is at most 240 KB", async () => {
    const [shipped] = await bundleFunctions(["receive-callback"]);
    expect(shipped!.bytes).toBeLessThanOrEqual(240_000);
  });

  test("of two SDK clients leaves room under 240 KB, without the credential chain that Lambda does not use", async () => {
    const { directory, bytes } = await bundle("clients", entry("clients", withTwoClients), out);
    expect(bytes).toBeLessThan(180_000);
    const code = readFileSync(join(directory, "index.mjs"), "utf8");
    expect(code).not.toContain("AWS_WEB_IDENTITY_TOKEN_FILE");
    expect(code).not.toContain("sso_session");
  });

  test("signs with the credentials of the environment, at the endpoint of the environment", async () => {
    const { directory } = await bundle("signed", entry("signed", withTwoClients), out);
    const signatures: (string | undefined)[] = [];
    const server = createServer((request, response) => {
      signatures.push(
        request.headers.authorization,
        String(request.headers["x-amz-security-token"]),
      );
      response.end("{}");
    });
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    const address = server.address() as { port: number };
    const code = `import(${JSON.stringify(join(directory, "index.mjs"))}).then((m) => m.handler())`;
    await run(process.execPath, ["-e", code], {
      env: {
        AWS_REGION: "eu-west-1",
        AWS_ACCESS_KEY_ID: "AKIDEXAMPLE",
        AWS_SECRET_ACCESS_KEY: "secret",
        AWS_SESSION_TOKEN: "session",
        AWS_ENDPOINT_URL: `http://127.0.0.1:${address.port}`,
      },
    }).finally(() => server.close());
    expect(signatures).toEqual([
      expect.stringContaining("Credential=AKIDEXAMPLE/"),
      "session",
      expect.stringContaining("Credential=AKIDEXAMPLE/"),
      "session",
    ]);
  });

  test("names the file that is missing", async () => {
    await expect(bundle("gone", join(folder, "gone.ts"), out)).rejects.toMatchObject({
      code: "bundle-failed",
      message: expect.stringMatching(/gone\.ts does not exist$/),
    });
  });

  test("names the file and the import that cannot be resolved", async () => {
    const path = entry("astray", 'import "./nowhere.ts";\nexport const handler = () => 1;\n');
    await expect(bundle("astray", path, out)).rejects.toThrow(/astray\.ts.*nowhere\.ts/s);
  });

  test("is refused when it would call require, which an ES module has not", async () => {
    writeFileSync(join(folder, "old.cjs"), 'exports.read = () => require("fs").readFileSync;\n');
    const path = entry("old", 'import { read } from "./old.cjs";\nexport const handler = read;\n');
    await expect(bundle("old", path, out)).rejects.toThrow(
      /old\.ts would need fs at run time by require-call/,
    );
  });

  test("is refused when it would need a package beside it", async () => {
    const source = 'export { EventStreamSerde as handler } from "@smithy/core/event-streams";\n';
    await expect(bundle("streams", entry("streams", source), out)).rejects.toThrow(
      /streams\.ts would need @smithy\/core\/event-streams at run time by import-statement/,
    );
  });
});

describe("the environment's credentials", () => {
  test("are refused when they are incomplete, rather than sent empty", async () => {
    vi.stubEnv("AWS_ACCESS_KEY_ID", "AKIDEXAMPLE");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "");
    await expect(defaultProvider()()).rejects.toMatchObject({ code: "credentials-missing" });
  });
});
