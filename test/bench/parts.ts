import { readFileSync } from "node:fs";
import { Session } from "node:inspector/promises";
import { SourceMap } from "node:module";

/** What a file of the bundle belongs to: the first that matches. */
const partsByFile: readonly (readonly [RegExp, string])[] = [
  [/\/shared\/(envelope|keys)\//, "opening the envelope: AES, RSA verification, JSON"],
  [/\/shared\/(inbox|facts)\/|\/(sha256|ascii-json)\.ts/, "the inbox's message"],
  [/\/shared\/telemetry\/|\/callback-line\.ts/, "the log line"],
  [/\/(shared|functions)\//, "the rest of the function"],
  [/signature-v4|[cC]redential|sigv4|httpSigning|[aA]uthScheme|crypto|hash-node/, "signing"],
  [/middleware-stack|smithy-client\/(client|command)\.js/, "the SDK's list of middleware"],
  [/node-http-handler|httpRequest|httpResponse/, "HTTP"],
  [/schema|serde|[pP]rotocol|json/, "the SDK's serialising"],
  [/endpoint|queue-url/i, "the SDK's endpoints"],
  [/user-?agent/i, "the SDK's user agent"],
  [/retry/i, "the SDK's retries"],
];

/**
 * The share of each part in the processor's time, by V8's profiler. What a function of the bundle calls outside of it,
 * such as OpenSSL, counts to the file of that function. `map` is the bundle's source map.
 */
export async function profileParts(
  run: () => Promise<void>,
  bundleUrl: string,
  map: string,
): Promise<Readonly<Record<string, number>>> {
  const session = new Session();
  session.connect();
  await session.post("Profiler.enable");
  await session.post("Profiler.setSamplingInterval", { interval: 200 });
  await session.post("Profiler.start");
  await run();
  const { profile } = await session.post("Profiler.stop");
  session.disconnect();
  const sources = new SourceMap(JSON.parse(readFileSync(map, "utf8")));
  const parents = new Map(
    profile.nodes.flatMap((node) => (node.children ?? []).map((id) => [id, node] as const)),
  );
  const hits: Record<string, number> = {};
  for (const node of profile.nodes) {
    if (node.callFrame.functionName === "(idle)") continue;
    const part = partOf(node);
    hits[part] = (hits[part] ?? 0) + (node.hitCount ?? 0);
  }
  const all = Object.values(hits).reduce((sum, candidate) => sum + candidate, 0);
  return Object.fromEntries(Object.entries(hits).map(([part, count]) => [part, count / all]));

  function partOf(node: (typeof profile.nodes)[number]): string {
    const { functionName, url, lineNumber, columnNumber } = node.callFrame;
    if (functionName === "(garbage collector)") return "garbage collection";
    if (url === bundleUrl) return partOfFile(sources.findEntry(lineNumber, columnNumber));
    const parent = parents.get(node.id);
    return parent === undefined ? "HTTP" : partOf(parent);
  }
}

function partOfFile(entry: object): string {
  const file = "originalSource" in entry ? String(entry.originalSource) : "";
  return partsByFile.find(([pattern]) => pattern.test(file))?.[1] ?? "the rest of the SDK";
}
