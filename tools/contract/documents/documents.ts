import { readFileSync } from "node:fs";
import { loadConfig } from "../../../infra/config/load-config.ts";
import packageJson from "../../../package.json" with { type: "json" };
import { kindWords } from "../../../shared/attention/kind-words.ts";
import { flagWords } from "../../../shared/facts/flag-words.ts";
import { words } from "../../../shared/glossary.ts";
import { moves, stateAfter } from "../../../shared/orders/order-moves.ts";
import { stateKinds } from "../../../shared/orders/order-state.ts";
import { questionAfter, questionMoves } from "../../../shared/orders/question.ts";
import { questionKinds } from "../../../shared/orders/question-state.ts";
import {
  moveWords,
  questionMoveWords,
  questionWords,
  stateWords,
} from "../../../shared/orders/state-words.ts";
import { problemDescriptions } from "../../../shared/storefront/problem-kinds.ts";
import { configTables } from "../generated-types/config-types.ts";
import { shapesSource, typesSource } from "../generated-types/consumer-source.ts";
import { makeAsyncapi } from "./events/asyncapi.ts";
import { eventSchemas, schemaFile } from "./events/event-schemas.ts";
import { eventsPage } from "./events/events-page.ts";
import { fieldNamesTable } from "./field-names.ts";
import { fillTables, table } from "./markdown-table.ts";
import { makeDocument } from "./openapi/document.ts";
import { refuseHoles } from "./refuse-holes.ts";

/** Every generated file: its path in the repository, and its text. Throws `local-text-missing`. */
export function contractDocuments(): ReadonlyMap<string, string> {
  const whole = wholeDocuments();
  for (const [path, text] of whole) refuseHoles(path, text);
  return new Map([
    ...whole,
    withTables("docs/architecture.md", {
      words: table(["word", "meaning"], Object.entries(words)),
      attention: attentionTable(),
      states: statesTable(),
      moves: table(["move", "what happens"], codeRows(moveWords)),
      questions: questionsTable(),
      "question moves": table(["move", "what happens"], codeRows(questionMoveWords)),
    }),
    withTables("docs/configuration.md", configTables()),
    withTables("docs/interface.md", { "field names": fieldNamesTable() }),
    withTables("docs/storefront.md", { problems: guideProblems() }),
    withTables("docs/subscribing.md", { flags: flagTable() }),
  ]);
}

function wholeDocuments(): [string, string][] {
  return [
    ...eventSchemas().map((schema): [string, string] => [
      `docs/schemas/${schemaFile(schema)}`,
      json(schema),
    ]),
    ["docs/openapi.json", json(makeDocument())],
    ["docs/asyncapi.json", json(makeAsyncapi(packageJson.version, loadConfig().subscribers))],
    ["docs/events.md", eventsPage()],
    ["shared/consumer/typed-events.ts", typesSource()],
    ["shared/consumer/event-shapes.json", shapesSource()],
  ];
}

function withTables(path: string, tables: Readonly<Record<string, string>>): [string, string] {
  const text = readFileSync(new URL(`../../../${path}`, import.meta.url), "utf8");
  return [path, fillTables(text, tables)];
}

function attentionTable(): string {
  const rows = Object.entries(kindWords).map(([kind, { means, todo }]) => [
    `\`${kind}\``,
    means,
    todo,
  ]);
  return table(["kind", "what happened", "what to do"], rows);
}

/** Each state with the moves that lead out of it. */
function statesTable(): string {
  const rows = stateKinds.map((state) => {
    const changing = moves.flatMap((move) => {
      const after = stateAfter(state, move);
      return after === undefined || after === "same" || after === state ? [] : `${move} → ${after}`;
    });
    const possible = moves.filter((move) => stateAfter(state, move) !== undefined);
    const never = moves.filter((move) => !possible.includes(move));
    return [`\`${state}\``, stateWords[state], changing.join(", "), never.join(", ")];
  });
  return table(["state", "what is known", "moves that change it", "moves that cannot be"], rows);
}

function questionsTable(): string {
  const rows = questionKinds.map((kind) => {
    const changing = questionMoves
      .filter((move) => questionAfter(kind, move) !== kind)
      .map((move) => `${move} → ${questionAfter(kind, move)}`);
    return [`\`${kind}\``, questionWords[kind], changing.join(", ")];
  });
  return table(["question", "what is known", "moves that change it"], rows);
}

function codeRows(explained: Readonly<Record<string, string>>): string[][] {
  return Object.entries(explained).map(([name, text]) => [`\`${name}\``, text]);
}

function flagTable(): string {
  const rows = Object.entries(flagWords).map(([flag, { means, todo }]) => [
    `\`${flag}\``,
    means,
    todo,
  ]);
  return table(["flag", "meaning", "what to do"], rows);
}

function guideProblems(): string {
  const rows = Object.entries(problemDescriptions).map(([code, { status, when, whatToDo }]) => {
    return [`\`${code}\``, String(status), when, whatToDo];
  });
  return table(["code", "HTTP", "when", "what to do"], rows);
}

function json(value: object): string {
  return `${JSON.stringify(value, null, 2)}\n`;
}
