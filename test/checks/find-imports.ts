import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { adapterRooms, folderRules, groundRooms, type Rooms, roomRules } from "./import-rules.ts";
import { projectFiles } from "./project-files.ts";

/** One file imports another. */
export interface Arrow {
  readonly from: string;
  readonly to: string;
}

export function projectArrows(): Arrow[] {
  return projectFiles()
    .filter((file) => /\.(ts|tsx|mjs|mts)$/.test(file))
    .flatMap((file) => arrowsOf(file, readFileSync(file, "utf8")));
}

export function arrowsOf(from: string, text: string): Arrow[] {
  const imports = text.matchAll(/\b(?:from|import)[\s(]*"(\.[^"]+)"/g);
  return [...imports].map(([, to = ""]) => ({ from, to: join(dirname(from), to) }));
}

/** Imports that the rules forbid, with the reason. */
export function forbiddenImports(arrows: readonly Arrow[]): string[] {
  return arrows.flatMap(({ from, to }) => {
    const fault = folderFault(from, to) ?? roomFault(from, to) ?? adapterFault(from, to);
    return fault === undefined ? [] : [`${from} imports ${to}. ${fault}`];
  });
}

function folderFault(from: string, to: string): string | undefined {
  const folder = folderOf(from);
  const rule = folderRules[folder];
  if (rule === undefined) return undefined;
  const isAllowed = [folder, "package.json", ...rule.imports].includes(folderOf(to));
  return isAllowed ? undefined : `${folder}/ may import ${listed(rule.imports)}. ${rule.why}`;
}

/** The most specific folder that has a rule, otherwise the folder at the top. */
function folderOf(file: string): string {
  const [top = ""] = file.split("/");
  const withRule = Object.keys(folderRules).filter((folder) => file.startsWith(`${folder}/`));
  return withRule.sort((left, right) => right.length - left.length)[0] ?? top;
}

function roomFault(from: string, to: string): string | undefined {
  for (const [folder, rooms] of Object.entries(roomRules)) {
    if (![from, to].every((file) => file.startsWith(`${folder}/`))) continue;
    const [own, other] = [roomOf(folder, from), roomOf(folder, to)];
    const allowed = rooms[own];
    if (allowed === undefined) return `test/checks/import-rules.ts does not know ${folder}/${own}.`;
    if (own !== other && !allowed.includes(other))
      return `${nameOf(folder, own)} may import ${listed(allowed)}. Move what both need to one of these.`;
  }
  return undefined;
}

/** An operation imports no adapter, and an adapter imports only ports. */
function adapterFault(from: string, to: string): string | undefined {
  const folder = "tools/operations";
  if (![from, to].every((file) => file.startsWith(`${folder}/`))) return undefined;
  const adapters: readonly string[] = adapterRooms;
  const [own, other] = [roomOf(folder, from), roomOf(folder, to)];
  if (own === "." || own === other) return undefined;
  if (adapters.includes(own)) {
    const isAllowed = ["ports", "aws", "."].includes(other);
    return isAllowed ? undefined : `${folder}/${own} is an adapter: it may import ports and aws.`;
  }
  if (own === "ports") return `${folder}/ports may import nothing of ${folder}.`;
  return adapters.includes(other) ? "An operation imports the port, not the adapter." : undefined;
}

function roomOf(folder: string, file: string): string {
  const parts = file.slice(folder.length + 1).split("/");
  return parts.length === 1 ? "." : (parts[0] ?? "");
}

function nameOf(folder: string, room: string): string {
  return room === "." ? `A file beside the folders of ${folder}/` : `${folder}/${room}`;
}

/** Files that import each other, also by way of others, and also where only types are imported. */
export function circles(arrows: readonly Arrow[]): string[] {
  const imports = new Map<string, string[]>();
  for (const { from, to } of arrows) imports.set(from, [...(imports.get(from) ?? []), to]);
  const done = new Set<string>();
  const found: string[] = [];
  const follow = (file: string, way: readonly string[]): void => {
    const begin = way.indexOf(file);
    if (begin !== -1) found.push(circleText([...way.slice(begin), file]));
    if (begin !== -1 || done.has(file)) return;
    for (const to of imports.get(file) ?? []) follow(to, [...way, file]);
    done.add(file);
  };
  for (const file of imports.keys()) follow(file, []);
  return found;
}

function circleText(way: readonly string[]): string {
  return `${way.join(" -> ")} is a circle. Move what they share to a file that imports neither.`;
}

/** As READMEs say it. */
function listed(rooms: readonly string[]): string {
  const ground: readonly string[] = [...groundRooms, "."];
  const folders = rooms.filter((room) => !ground.includes(room));
  if (folders.length > 0) return folders.join(", ");
  return rooms.length > 0 ? "the ground" : "nothing";
}

/** What the tables of READMEs say otherwise than the rules. */
export function readmeFaults(read = (file: string) => readFileSync(file, "utf8")): string[] {
  return [
    ...statedImports("CONTRIBUTING.md", read("CONTRIBUTING.md"), importsOfFolders()),
    ...statedImports("shared/README.md", read("shared/README.md"), roomRules["shared"] ?? {}),
    ...statedOrder("infra/README.md", read("infra/README.md"), "infra"),
    ...statedOrder(
      "tools/simulator/README.md",
      read("tools/simulator/README.md"),
      "tools/simulator",
    ),
    ...statedOrder("tools/local/README.md", read("tools/local/README.md"), "tools/local/stack"),
    ...statedFolders("tools/operations", read("tools/operations/README.md")),
  ];
}

function importsOfFolders(): Rooms {
  const named = Object.entries(folderRules).filter(([folder]) => !folder.startsWith("test/"));
  return Object.fromEntries(named.map(([folder, { imports }]) => [folder, imports]));
}

/** The last column of the table says what each folder may import. */
function statedImports(readme: string, text: string, rooms: Rooms): string[] {
  const rows = new Map(tableRows(text).flatMap(({ names, last }) => names.map((n) => [n, last])));
  return Object.entries(rooms).flatMap(([room, imports]) => {
    if (room === "." || rows.get(room) === listed(imports)) return [];
    return [`${readme} must say of ${room} that it may import: ${listed(imports)}.`];
  });
}

/** The rooms stand in the table in the order in which they may import each other. */
function statedOrder(readme: string, text: string, folder: string): string[] {
  const rooms = Object.keys(roomRules[folder] ?? {}).filter((room) => room !== ".");
  const stated = tableRows(text).flatMap(({ names }) => names.filter((n) => rooms.includes(n)));
  if (stated.join() === rooms.join()) return [];
  return [`${readme} must have a table with the rooms in this order: ${rooms.join(", ")}.`];
}

/** Every folder has a row in the table of the README above it, and no other name has one. */
function statedFolders(folder: string, text: string): string[] {
  const inside = projectFiles().filter((file) => file.startsWith(`${folder}/`));
  const rooms = inside.flatMap(
    (file) => /^([^/]+)\//.exec(file.slice(folder.length + 1))?.[1] ?? [],
  );
  const stated = tableRows(text).flatMap(({ names }) => names);
  const missing = [...new Set(rooms)].filter((room) => !stated.includes(room));
  const gone = stated.filter((name) => !rooms.includes(name));
  return [
    ...missing.map((room) => `${folder}/README.md must say what ${room} holds.`),
    ...gone.map((name) => `${folder}/README.md has ${name}, which is no folder.`),
  ];
}

function tableRows(text: string): { names: string[]; last: string }[] {
  const rows = text.split("\n").filter((line) => line.startsWith("| "));
  return rows.map((row) => {
    const cells = row.split(" | ");
    const names = (cells[0] ?? "").matchAll(/\[([\w-]+)\]|`([\w/-]+)\/`/g);
    const last = (cells.at(-1) ?? "").replace(/ \|$/, "");
    return { names: [...names].map(([, linked, plain]) => linked ?? plain ?? ""), last };
  });
}
