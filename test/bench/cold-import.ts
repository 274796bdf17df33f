import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { promisify } from "node:util";
import * as esbuild from "esbuild";
import { bundle } from "../../infra/lambda/bundle.ts";
import type { Comparison } from "./compare.ts";
import { makeCertificate } from "./make-certificate.ts";
import type { SampleMessage } from "./sample-message.ts";
import { startSink } from "./start-sink.ts";

const run = promisify(execFile);

const entry = fileURLToPath(new URL("../../functions/receive-callback.ts", import.meta.url));

/** The function as it ships against the same one bundled without a thought, imported in fresh processes in turn. */
export async function compareColdImports(
  sample: SampleMessage,
  folder: string,
): Promise<Comparison> {
  const naive = join(folder, "naive.mjs");
  await bundleNaively(naive);
  const { directory } = await bundle("receive-callback", entry, folder);
  // Over TLS, as AWS is called: without it, the SDK loads another part of Node.
  const { file: certificate, ...tls } = makeCertificate(folder);
  const { endpoint, stop } = await startSink({ sample, tls });
  const measure = (file: string) => () => importMilliseconds(file, endpoint, certificate);
  return {
    title: "receive-callback, imported in a fresh process.",
    unit: "ms",
    rounds: 15,
    contenders: {
      "a naive bundle": measure(naive),
      "the bundle": measure(join(directory, "index.mjs")),
    },
    bounds: [{ slower: "the bundle", faster: "a naive bundle", atMost: 0.75 }],
    stop,
  };
}

/** The bundler's defaults, the SDK's default credential chain, and zod imported as one object. */
async function bundleNaively(outfile: string): Promise<void> {
  const wholeZod: esbuild.Plugin = {
    name: "whole-zod",
    setup(build) {
      build.onLoad({ filter: /(shared|functions)\/.*\.ts$/ }, async ({ path }) => ({
        loader: "ts",
        contents: (await readFile(path, "utf8")).replace(
          'import * as z from "zod/mini"',
          'import { z } from "zod/mini"',
        ),
      }));
    },
  };
  await esbuild.build({
    entryPoints: [entry],
    outfile,
    bundle: true,
    minify: true,
    platform: "node",
    format: "esm",
    target: "node20",
    banner: {
      js: 'import { createRequire as makeRequire } from "node:module"; const require = makeRequire(import.meta.url);',
    },
    plugins: [wholeZod],
    logLevel: "silent",
  });
}

/** With one fetch of a key, which the function awaits while it starts. */
async function importMilliseconds(
  file: string,
  endpoint: string,
  certificate: string,
): Promise<number> {
  const script = `const begun = performance.now(); await import(${JSON.stringify(file)}); console.error(performance.now() - begun); process.exit()`;
  const env = {
    AWS_REGION: "eu-west-1",
    AWS_ACCESS_KEY_ID: "key",
    AWS_SECRET_ACCESS_KEY: "secret",
    AWS_ENDPOINT_URL: endpoint,
    NODE_EXTRA_CA_CERTS: certificate,
    AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true",
    INBOX_QUEUE_URL: "https://sqs.eu-west-1.amazonaws.com/123456789012/inbox.fifo",
    STAMP_KEY: "keys",
    CALLBACK_KEYS: "{}",
    CALLBACK_MAX_AGE_SECONDS: "1",
    CALLBACK_MAX_AHEAD_SECONDS: "1",
    PREVIOUS_KEYS_SECONDS: "1",
    METRICS_NAMESPACE: "Paycast",
  };
  const imported = await run(process.execPath, ["--input-type=module", "--eval", script], { env });
  if (imported.stdout !== "")
    throw new Error(`The function reported a problem: ${imported.stdout}`);
  return Number(imported.stderr);
}
