import { fork } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import { makeCertificate } from "../../bench/make-certificate.ts";
import { openOrder } from "../../bench/requests.ts";
import { makeSampleMessage } from "../../bench/sample-message.ts";
import { startSink } from "../../bench/start-sink.ts";
import { readOptions } from "../../setup/read-options.ts";
import { root, writeFigures } from "../measured.ts";
import { type CallName, calls, isCallName } from "./call.ts";
import { createCpuShare, wholeCoreMegabytes } from "./cpu-share.ts";
import type { MemoryRow } from "./memory-row.ts";

const help = `npm run proof -- memory

Measures how long functions take with the share of a core that Lambda gives them for their memory. Needs Linux and root.
Nothing else may run on the machine. The results go to docs/proof/memory.json.

  --help   print this help
`;

/** `npm run proof -- memory`. */
readOptions(help, {});
const sizes = [256, 512, 1_024, wholeCoreMegabytes];
/** Assumed: how long a call to AWS takes, and one to the payment service. */
const awsMilliseconds = 8;
const serviceMilliseconds = 300;
/** As many as one needs before V8 has compiled what is called often, and as many again. */
const warmCalls = 120;

const folder = mkdtempSync(join(tmpdir(), "paycast-memory-"));
const sample = makeSampleMessage();
const { file: certificate, ...tls } = makeCertificate(folder);
const { endpoint, stop } = await startSink({
  sample,
  items: openOrder(sample),
  awsMilliseconds,
  serviceMilliseconds,
  tls,
});
const rows: MemoryRow[] = [];
try {
  for (const name of Object.keys(calls).filter(isCallName)) {
    for (const megabytes of sizes) {
      const row = { name, megabytes, ...(await measure(name, megabytes)) };
      rows.push(row);
      console.log(JSON.stringify(row));
    }
  }
} finally {
  await stop();
  rmSync(folder, { recursive: true });
}
const figures = { awsMilliseconds, serviceMilliseconds, rows };
writeFigures(join(root, "docs/proof/memory.json"), figures);
process.exit();

interface Report {
  readonly importMilliseconds: number;
  readonly first: number;
  readonly warm: readonly number[];
}

/** In a process of its own, in milliseconds: a cold start and its first call, and the median of calls that are warm. */
async function measure(name: CallName, megabytes: number) {
  const share = createCpuShare();
  const script = fileURLToPath(new URL("memory-child.ts", import.meta.url));
  const child = fork(script, {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, NODE_EXTRA_CA_CERTS: certificate },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const exited = once(child, "exit");
  try {
    const answer = async () => {
      const failed = exited.then(() => Promise.reject(new Error(`${name} ended too early.`)));
      const [message] = await Promise.race([once(child, "message"), failed]);
      return message;
    };
    const prepared = answer();
    const { aesKey, ...texts } = sample;
    child.send({ name, folder, endpoint, warmCalls, sample: { ...texts, aesKey: [...aesKey] } });
    await prepared;
    share.limit(child.pid ?? 0, megabytes / wholeCoreMegabytes);
    const measured: Promise<Report> = answer();
    child.send("begin");
    const { importMilliseconds, first, warm } = await measured;
    const cold = Math.round(importMilliseconds + first);
    return { cold, warm: Number(medianOf(warm.slice(warm.length / 2)).toFixed(1)) };
  } finally {
    child.kill("SIGKILL");
    await exited;
    share.remove();
  }
}

function medianOf(values: readonly number[]): number {
  return values.toSorted((left, right) => left - right)[values.length >> 1] ?? Number.NaN;
}
