import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath, pathToFileURL } from "node:url";
import { bundle } from "../../infra/lambda/bundle.ts";
import { makeAlipayWay } from "./alipay-way.ts";
import { makeBareVerify } from "./bare-verify.ts";
import { benchColdImport } from "./cold-import.ts";
import { measure, median, medianRatio, type Timings } from "./measure.ts";
import { benchRefusals } from "./refusals.ts";
import { makeSampleMessage } from "./sample-message.ts";
import { makeWechatpayWay } from "./wechatpay-way.ts";
import { benchWholeHandler } from "./whole-handler.ts";

const bare = "bare RSA-2048 verify";
const cbc = "Paycast, AES-CBC (the default)";
const gcm = "Paycast, AES-GCM";
const cbcOpen = "Paycast, AES-CBC, opening alone";
const gcmOpen = "Paycast, AES-GCM, opening alone";
const wechatpay = "wechatpay-node-v3, AES-GCM";
const alipay = "alipay-sdk, AES-CBC, all fields signed";
const alipayPayment = "alipay-sdk, AES-CBC, payment";

interface Bound {
  readonly slower: string;
  readonly faster: string;
  readonly atMost?: number;
  readonly atLeast?: number;
}

/** The rivals end with the decrypted result object: each is held against opening alone, under the same cipher. */
const bounds: readonly Bound[] = [
  { slower: cbc, faster: bare, atMost: 1.9 },
  { slower: gcm, faster: bare, atMost: 1.9 },
  { slower: wechatpay, faster: gcmOpen, atLeast: 2.5 },
  { slower: alipay, faster: cbcOpen, atLeast: 4 },
];

const sample = makeSampleMessage();
const { makeCallbackWay, makeOpenWay, makeRefusedWay } = await importBundled();
const gcmProfile = { cipher: "GCM", iv: "prefixed" } as const;
const timings = await measure(
  {
    [bare]: makeBareVerify(sample),
    [cbc]: makeCallbackWay(sample, {}),
    [gcm]: makeCallbackWay(sample, gcmProfile),
    [cbcOpen]: makeOpenWay(sample, {}),
    [gcmOpen]: makeOpenWay(sample, gcmProfile),
    [wechatpay]: makeWechatpayWay(sample),
    [alipay]: makeAlipayWay(sample, "all fields"),
    [alipayPayment]: makeAlipayWay(sample, "payment"),
  },
  { warmUpCalls: 3_000, rounds: 31, callsPerRound: 150 },
);

console.log("Processor time per callback, warm, medians. Paycast: opened, result object typed,");
console.log("inbox message written; opening alone ends where the others end.\n");
for (const name of Object.keys(timings)) console.log(describe(timings, name));
console.log("");
for (const bound of bounds) console.log(verdict(bound));
const refusalsHold = await benchRefusals(sample, makeRefusedWay);
const importHolds = await benchColdImport();
const handlerHolds = await benchWholeHandler();
const all = [bounds.every(holds), refusalsHold, importHolds, handlerHolds];
process.exitCode = all.every(Boolean) ? 0 : 1;

/** Bundled as for Lambda: a loader of TypeScript would add costs that are not deployed. */
async function importBundled(): Promise<typeof import("./callback-way.ts")> {
  const folder = mkdtempSync(join(tmpdir(), "paycast-bench-"));
  try {
    const entry = fileURLToPath(new URL("callback-way.ts", import.meta.url));
    const { directory } = await bundle("callback-way", entry, folder);
    return await import(pathToFileURL(join(directory, "index.mjs")).href);
  } finally {
    rmSync(folder, { recursive: true });
  }
}

function describe(all: Timings, name: string): string {
  const microseconds = median(all[name] ?? [])
    .toFixed(1)
    .padStart(9);
  const ratio = medianRatio(all, name, bare).toFixed(2).padStart(7);
  return `${name.padEnd(40)}${microseconds} µs${ratio} × bare verify`;
}

function holds({ slower, faster, atMost = Infinity, atLeast = 0 }: Bound): boolean {
  const ratio = medianRatio(timings, slower, faster);
  return ratio <= atMost && ratio >= atLeast;
}

function verdict(bound: Bound): string {
  const { slower, faster, atMost, atLeast } = bound;
  const ratio = medianRatio(timings, slower, faster).toFixed(2);
  const wanted = atMost === undefined ? `at least ${atLeast}` : `at most ${atMost}`;
  return `${holds(bound) ? "PASS" : "FAIL"}  ${slower} takes ${ratio} × ${faster} (${wanted})`;
}
