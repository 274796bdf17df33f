import { execFileSync } from "node:child_process";
import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { gzipSync } from "node:zlib";
import * as esbuild from "esbuild";
import { beforeAll, describe, expect, test } from "vitest";
import { eventTypes } from "../../../shared/facts/event-types.ts";
import { declareTypes } from "../../../tools/contract/packages/make-package.ts";
import { packEvents } from "../../../tools/contract/packages/pack-events.ts";
import { codeIn } from "../../checks/markdown.ts";
import { queuedPayment, queuedRefund } from "../../integration/callbacks.ts";
import { messagesOf, processAtOnce } from "../../integration/flow.ts";
import { useWorlds } from "../../integration/world.ts";
import { packOnce } from "../../setup/packed.ts";
import { temporaryFolder } from "../../setup/temporary-folder.ts";
import { type ConsumerProject, makeProject } from "./consumer-project.ts";
import { examplesIn, exportsWithoutExample, withoutComments } from "./doc-examples.ts";

const makeWorld = useWorlds();
const folder = temporaryFolder("packed");
const readme = readFileSync("docs/packages/paycast-events.md", "utf8");
const { version } = JSON.parse(readFileSync("package.json", "utf8"));

let tarball: string;
let published: string[];
beforeAll(async () => {
  tarball = await packOnce("paycast-events", packEvents);
  execFileSync("tar", ["xzf", tarball, "-C", folder]);
  published = await publishEveryType();
  writeFileSync(join(folder, "events.json"), JSON.stringify(published));
});

/** Messages with real events, as a subscriber receives them. */
async function publishEveryType(): Promise<string[]> {
  const world = await makeWorld();
  const processor = await world.start("process-callback");
  const payments = ["confirming", "timeout", "failed", "success"].map((status) =>
    queuedPayment(world, { referOrderNo: `ORDER-${status}`, status }),
  );
  // No status in the ids: the log may name a payment, and no test may find a plaintext's status in it.
  const refunds = ["refund_failed", "refund_success"].map((status, index) =>
    queuedRefund(world, { paymentId: `P-${index}`, refundId: "R-1", status }),
  );
  await processAtOnce(processor, [...payments, ...refunds], 2);
  return (await messagesOf(world, "books")).map((message) => JSON.stringify(message));
}

/** Reads what was published, as a consumer's program does. `unknown` makes the compiler check that no case is missing. */
const program = `
import { isStale, type KnownEvent, parseRecord, PaycastEventError, type PaycastEvent } from "paycast-events";
import { testEvent, testRecord } from "paycast-events/testing";

export function money(event: PaycastEvent): string {
  switch (event.type) {
    case "payment.order.success":
      return event.data.amount.minor;
    case "payment.refund.success":
      return "minor" in event.data.amount ? event.data.amount.minor : event.data.amount.value;
    case "payment.order.confirming":
    case "payment.order.timeout":
    case "payment.order.failed":
      return event.data.order.status;
    case "payment.refund.failed":
      return String(event.data.payment.refunds.length);
    case "unknown":
      return event.unknownType;
    default: {
      const never: never = event;
      return never;
    }
  }
}

export function read(messages: readonly string[]): void {
  const events = messages.map((message) => parseRecord(JSON.parse(message)).event);
  const types = events.map(({ type }) => type).sort();
  const made: KnownEvent = testEvent("payment.order.timeout", { sequence: 1 });
  let code = "none";
  try {
    parseRecord({ body: "{" });
  } catch (error) {
    if (error instanceof PaycastEventError) code = error.code;
  }
  const replay = parseRecord(testRecord(made, { replayRun: "run" })).isReplay;
  const stale = isStale(made, "0000000002");
  console.log(JSON.stringify({ types, money: events.map(money).sort(), code, replay, stale }));
}
`;

/** Calls the README's two handlers, and prints what they did. */
const readmeProgram = `
import { testEvent, testRecord } from "paycast-events/testing";
import { handler } from "./batches.js";
import { handleRecord } from "./reading.js";

const calls: string[] = [];
const orders = {
  sequenceOf: async () => "0000000009",
  ship: async (orderNo: string, paid: bigint) => void calls.push("ship " + orderNo + " " + paid),
  askPerson: async (orderNo: string) => void calls.push("ask " + orderNo),
  bookRefund: async (_id: string, paymentId: string) => void calls.push("book " + paymentId),
};
const paid = testRecord(testEvent("payment.order.success"));
const odd = testRecord(testEvent("payment.order.success", { flags: ["mismatch"] }));
const refund = testRecord(testEvent("payment.refund.success"));
const old = testRecord(testEvent("payment.order.timeout"));
const unknown = { ...paid, body: paid.body.replace("payment.order.success", "payment.order.new") };

async function main(): Promise<void> {
  for (const record of [paid, odd, refund, old, unknown]) await handleRecord(record, orders);
  console.log(calls.join(", "));
  const broken = { ...paid, messageId: "broken", body: "{" };
  console.log(JSON.stringify(await handler({ Records: [paid, broken] })));
}
main();
`;

const mains = {
  module: `
import messages from "./events.json" with { type: "json" };
import schema from "paycast-events/schemas/payment-order-event.1.json" with { type: "json" };
import { read } from "./program.js";
read(messages);
console.log(schema.$id);
`,
  commonjs: `
import program = require("./program.js");
import messages = require("./events.json");
import schema = require("paycast-events/schemas/payment-order-event.1.json");
program.read(messages);
console.log(schema.$id);
`,
};

describe.each(["module", "commonjs"] as const)("in an empty project of type %s", (type) => {
  let project: ConsumerProject;
  beforeAll(() => {
    project = makeProject(type, tarball);
  });

  test("its README's examples compile and run", () => {
    const [reading = "", batches = "", testing = ""] = codeIn(
      "docs/packages/paycast-events.md",
      "ts",
    );
    const examples = { "reading.ts": reading, "batches.ts": batches, "testing.ts": testing };
    project.compile({ ...examples, "main.ts": readmeProgram });
    expect(project.run("testing.js")).toBe("payment.order.success true\n");
    expect(project.run("main.js").trim().split("\n")).toEqual([
      "A newer Paycast sent payment.order.new.",
      "ship ORDER-1001 1230, ask ORDER-1001, book P-1001",
      "payment.order.success of ORDER-1001",
      '{"batchItemFailures":[{"itemIdentifier":"broken"}]}',
    ]);
  });

  test("the package alone is installed", () => {
    const installed = readdirSync(join(project.directory, "node_modules"));
    expect(installed.filter((name) => !name.startsWith("."))).toEqual(["paycast-events"]);
  });

  test("a strict program compiles against it and reads real events", () => {
    const main = mains[type];
    const events = JSON.stringify(published);
    project.compile({ "main.ts": main, "program.ts": program, "events.json": events });
    const [line = "", id] = project.run("main.js").trim().split("\n");
    expect(JSON.parse(line)).toEqual({
      types: [...eventTypes].sort(),
      // The amounts of the successes, the refunds of the failed one, and the statuses of the others.
      money: ["1", "12995", "29.95", "confirming", "failed", "timeout"],
      code: "body-not-json",
      replay: true,
      stale: true,
    });
    expect(id).toBe("urn:paycast:schema:payment-order-event:1");
  });

  test("a program that forgets what a type promises does not compile", () => {
    const wrong = program.replace("event.data.order.status", "event.data.amount.minor");
    expect(() => project.compile({ "program.ts": wrong })).toThrow("possibly 'undefined'");
  });
});

describe("the tarball", () => {
  const packageFolder = join(folder, "package");
  const unpacked = (file: string) => readFileSync(join(packageFolder, file), "utf8");

  test("shows an example of each function and class, which compiles", () => {
    const declarations = readdirSync(packageFolder)
      .filter((file) => file.endsWith(".d.ts"))
      .map(unpacked);
    expect(declarations.flatMap(exportsWithoutExample)).toEqual([]);
    const examples = declarations.flatMap(examplesIn);
    // Eight functions and a class.
    expect(examples).toHaveLength(9);
    const files = examples.map((code, index) => [`example-${index}.ts`, code] as const);
    makeProject("module", tarball).compile(Object.fromEntries(files));
  });

  test("holds what belongs to the package, and nothing else", () => {
    const files = execFileSync("tar", ["tzf", tarball], { encoding: "utf8" }).trim().split("\n");
    const entries = ["index", "testing"].flatMap((name) =>
      [".js", ".cjs", ".d.ts", ".d.cts"].map((extension) => name + extension),
    );
    const schemas = ["payment-order-event", "payment-refund-event", ...eventTypes];
    const own = ["package.json", "README.md", "LICENSE", ...entries];
    const all = [...own, ...schemas.map((name) => `schemas/${name}.1.json`)];
    const isDeclaration = (file: string) => /^package\/[\w-]+\.d\.c?ts$/.test(file);
    const others = files.filter((file) => !all.includes(file.replace("package/", "")));
    expect(others.filter((file) => !isDeclaration(file))).toEqual([]);
    for (const file of all) expect(files).toContain(`package/${file}`);
  });

  test("has the version of the repository and no dependencies", () => {
    const manifest = JSON.parse(unpacked("package.json"));
    expect(manifest).toMatchObject({ name: "paycast-events", version });
    expect(Object.keys(manifest).filter((key) => key.endsWith("ependencies"))).toEqual([]);
    expect(readme).toContain(`paycast-events-${version}.tgz`);
  });

  test("imports nothing, in code and in types, but itself", () => {
    for (const name of readdirSync(join(folder, "package")).filter((file) =>
      /\.[cd.]*[jt]s$/.test(file),
    )) {
      const text = withoutComments(unpacked(name));
      const imports = [...text.matchAll(/(?:from|require\(|import\() ?"([^"]+)"/g)];
      const others = imports
        .map(([, path = ""]) => path)
        .filter((path) => !/^\.\/[\w-]+\.c?js$/.test(path));
      expect(others, name).toEqual([]);
    }
  });

  test.each(["index.js", "index.cjs", "testing.js", "testing.cjs"])(
    "has no code of others in %s, so that it needs no notices",
    (name) => {
      // esbuild writes the path of each file above its code.
      const sources = [...unpacked(name).matchAll(/^ *\/\/ (\S+\.[cm]?[jt]sx?)$/gm)];
      expect(sources.length).toBeGreaterThan(1);
      for (const [, path] of sources) expect(path).toMatch(/^(shared|tools\/contract\/packages)\//);
    },
  );

  test("is not made of a module that uses Node", () => {
    const usingNode = { index: "make-package.ts" };
    const declaring = () => declareTypes(join(folder, "none"), usingNode, { types: [] });
    expect(declaring).toThrow(/Cannot find name 'node:/);
  });

  test("tells nothing of the machine that it was made on", () => {
    for (const file of ["index.js", "index.cjs", "index.d.ts", "testing.js", "testing.d.cts"]) {
      expect(unpacked(file)).not.toMatch(/\/tmp\/|\/home\/|\/root\/|sourceMappingURL/);
    }
  });

  test("has the committed schemas", () => {
    for (const file of readdirSync(join(folder, "package/schemas"))) {
      expect(unpacked(`schemas/${file}`)).toBe(readFileSync(`docs/schemas/${file}`, "utf8"));
    }
  });

  test("is as small as its README says", async () => {
    const bundled = async (names: string) => {
      const stdin = {
        contents: `export ${names} from "./index.js"`,
        resolveDir: packageFolder,
      };
      const options = { bundle: true, minify: true, format: "esm", write: false } as const;
      return (await esbuild.build({ stdin, ...options })).outputFiles[0]!.contents;
    };
    const kilobytes = (bytes: number) => `${(bytes / 1000).toFixed(1)} KB`;
    const parser = await bundled("{ parseRecord }");
    const gzipped = gzipSync(parser, { level: 9 });
    const sizes = [parser, gzipped, await bundled("*")].map(({ length }) => kilobytes(length));
    expect(readme).toContain(
      `the parser is ${sizes[0]} minified, ${sizes[1]} with gzip; everything is ${sizes[2]}`,
    );
    expect(parser.length).toBeLessThan(8_000);
    expect(gzipped.length).toBeLessThan(2_500);
  });
});
