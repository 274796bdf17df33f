import { fork } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A little above what was measured on each: docs/decisions/0006-few-kilobytes-on-the-cold-path.md. */
const mostRatio = process.arch === "arm64" ? 5.5 : 6.6;

/** The whole function, as handler-rounds.ts measures it. */
export async function benchWholeHandler(): Promise<boolean> {
  const rounds = fork(fileURLToPath(new URL("handler-rounds.ts", import.meta.url)), {
    execArgv: ["--import", "tsx"],
    env: { ...process.env, AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED: "true" },
    stdio: ["ignore", "ignore", "inherit", "ipc"],
  });
  const [{ ratio, microseconds, bareMicroseconds, parts }] = await once(rounds, "message");
  const holds = ratio <= mostRatio;
  console.log(
    "\nThe whole receive-callback, over a socket, against a bare signed POST of the same bytes.\n",
  );
  console.log(`${microseconds.toFixed(0)} µs against ${bareMicroseconds.toFixed(0)} µs`);
  for (const [part, share] of Object.entries<number>(parts).sort(([, a], [, b]) => b - a)) {
    console.log(`${(100 * share).toFixed(1).padStart(5)} %  ${part}`);
  }
  console.log(
    `${holds ? "PASS" : "FAIL"}  it takes ${ratio.toFixed(2)} × the POST (at most ${mostRatio})`,
  );
  return holds;
}
