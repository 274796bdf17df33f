import { spawn } from "node:child_process";
import { createServer, type RequestListener } from "node:http";
import { text } from "node:stream/consumers";
import { expect, onTestFinished, test } from "vitest";
import { listenOnLoopback } from "../../../tools/local/aws/listen-on-loopback.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";

const timeout = 120_000;

/**
 * `npm run audit`, with the real npm, which asks the given registry, a second time without a pause. A cache of its own:
 * npm keeps advisories by number.
 */
async function audit(registry: string) {
  const cache = temporaryFolder("audit");
  const npm = { npm_config_cache: cache, npm_config_fetch_retry_mintimeout: "1" };
  const env = { ...process.env, npm_config_registry: registry, ...npm };
  const args = ["node_modules/tsx/dist/cli.mjs", "tools/contract/dependencies/audit.ts"];
  const child = spawn(process.execPath, args, { env });
  const closed = new Promise<number | null>((resolve) => child.on("close", resolve));
  const [out, code] = await Promise.all([text(child.stdout), closed]);
  return { out, code };
}

async function serve(listener: RequestListener): Promise<string> {
  const { endpoint, stop } = await listenOnLoopback(createServer(listener));
  onTestFinished(stop);
  return endpoint;
}

/** A registry that knows an advisory for every version of each of these packages. */
async function registryThatKnows(severities: Readonly<Record<string, string>>): Promise<string> {
  const any = { vulnerable_versions: "*", cwe: [], cvss: { score: 7, vectorString: null } };
  return await serve((request, response) => {
    if (request.method !== "POST") return response.writeHead(404).end("{}");
    const answer = Object.entries(severities).map(([name, severity], id) => {
      const url = `https://advisories.example/A-${name}`;
      return [name, [{ id, url, title: `Fault of ${name}`, severity, ...any }]];
    });
    return response.end(JSON.stringify(Object.fromEntries(answer)));
  });
}

test("fails for a serious finding in what is shipped or installed for production", {
  timeout,
}, async () => {
  const { out, code } = await audit(
    await registryThatKnows({ zod: "high", minimatch: "critical" }),
  );
  for (const name of ["zod", "minimatch"]) expect(out).toContain(`Fault of ${name}`);
  expect(code).toBe(1);
});

test("does not fail for a lesser finding, or for one in a tool of the tests", {
  timeout,
}, async () => {
  const { out, code } = await audit(
    await registryThatKnows({ zod: "moderate", vitest: "critical" }),
  );
  expect(out).toMatch(/^No high or critical vulnerability/);
  expect(code).toBe(0);
});

test("says that nothing was checked if the registry does not tell or cannot be reached", {
  timeout,
}, async () => {
  const mirror = await serve((_request, response) => response.writeHead(405).end());
  for (const registry of [mirror, "http://127.0.0.1:9/"]) {
    const { out, code } = await audit(registry);
    expect(out).toMatch(/^NOT CHECKED: /);
    expect(code).toBe(0);
  }
});
