import { Readable } from "node:stream";
import { beforeAll, expect, test, vi } from "vitest";
import { commands } from "../../tools/cli/commands.ts";
import type { CommandOperation } from "../../tools/cli/frame/command.ts";
import { optionFields, wordFields } from "../../tools/cli/frame/described-help.ts";
import type { InputField } from "../../tools/operations/described/input-fields.ts";
import { temporaryFolder } from "../setup/temporary-folder.ts";
import { runHere, writtenFile } from "../tools/cli/run-paycast.ts";
import { bodies, someOf, texts } from "./corpus.ts";

beforeAll(() => {
  vi.stubEnv("PAYCAST_DIRECTORY", temporaryFolder("hostile"));
  vi.stubEnv("PAYCAST_STACK", "");
  // For the commands that look into an account without a stack: nobody listens at this address.
  vi.stubEnv("AWS_ENDPOINT_URL", "http://127.0.0.1:1");
  vi.stubEnv("AWS_REGION", "eu-central-1");
  vi.stubEnv("AWS_MAX_ATTEMPTS", "1");
  vi.stubEnv("AWS_ACCESS_KEY_ID", "any");
  vi.stubEnv("AWS_SECRET_ACCESS_KEY", "any");
});

/** A process cannot be given a NUL; "-" is standard input, which has a test of its own. */
const given = texts.filter((text) => !text.includes("\0") && text !== "-");
const files = bodies.map(writtenFile);

/** The command lines that give each text to each word and option, with what else the operation needs. */
function linesOf(command: string, operation: CommandOperation): string[][] {
  const words = wordFields(operation);
  const options = optionFields(operation).filter(({ type }) => type !== "boolean");
  const usual = (field: InputField) =>
    field.isKeyFile || field.isInputFile ? files[0]! : "abcd1234";
  const needed = options.filter(({ isRequired }) => isRequired);
  const begin = [command, ...(operation.verb === undefined ? [] : [operation.verb])];
  return [...words, ...options].flatMap((spoilt, place) => {
    const textOf = (field: InputField, text: string) => (field === spoilt ? text : usual(field));
    const isFile = spoilt.isKeyFile || spoilt.isInputFile;
    const optionsGiven = [...new Set([...needed, ...(words.includes(spoilt) ? [] : [spoilt])])];
    return [...someOf(given, place), ...(isFile ? files : [])].map((text) => [
      ...begin,
      ...optionsGiven.map((field) => `--${field.option}=${textOf(field, text)}`),
      "--",
      ...words.map((field) => textOf(field, text)),
    ]);
  });
}

test.each(commands)("paycast $name takes or refuses every text and file", async (known) => {
  const { group } = await known.load();
  const lines = group.operations.flatMap((operation) => linesOf(known.name, operation));
  const faults: string[] = [];
  for (const line of [
    ...lines,
    ...someOf(given, known.name.length).map((text) => [known.name, text]),
  ]) {
    const { code, err } = await runHere(line);
    // 3 is a fault of paycast. Without a stack nothing can be done, so a message must say what is wrong.
    const isExplained = code === 0 || code === 1 || err.startsWith(`paycast ${known.name}: `);
    if (code === 3 || !isExplained) faults.push(`${line.join(" ").slice(0, 200)}: ${code} ${err}`);
  }
  expect(faults).toEqual([]);
});

/** What may stand before the "|" of a shell, also what never ends and what breaks off. */
const inputs: readonly (() => Readable)[] = [
  ...bodies.map((bytes) => () => Readable.from([bytes])),
  () => Readable.from([Buffer.from('{"a":'), Buffer.from("1}")]),
  () => new Readable({ read: () => {} }).destroy(new Error("broken")),
  () => Readable.from(endless()),
];

function* endless() {
  for (;;) yield Buffer.alloc(65_536, " ");
}

test("paycast takes or refuses every standard input, also one without an end", async () => {
  const faults: string[] = [];
  for (const [place, input] of inputs.entries()) {
    vi.spyOn(process, "stdin", "get").mockReturnValue(input() as typeof process.stdin);
    const { code, err } = await runHere(["call", "m", "/p", "--body", "-"]);
    const isExplained = code === 2 && err.startsWith("paycast call: ");
    if (!isExplained) faults.push(`input ${place}: ${code} ${err}`);
  }
  expect(faults).toEqual([]);
});
