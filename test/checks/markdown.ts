import { existsSync, readFileSync, statSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { projectFiles } from "./project-files.ts";

/** A block of code in a document, whatever its fence, its indentation and its language. */
export interface Block {
  readonly document: string;
  readonly language: string;
  readonly text: string;
}

/** Every Markdown file of the project, by its path. */
export function markdownFiles(): string[] {
  return projectFiles().filter((file) => file.endsWith(".md") && existsSync(file));
}

const fenced = /^([ >]*)(`{3,}|~{3,}) *(\w*)[^\n]*\n(.*?)^[ >]*\2[`~]* *$/gms;

export function blocksOf(document: string, text = readFileSync(document, "utf8")): Block[] {
  return [...text.matchAll(fenced)].map(([, , , language = "", block = ""]) => ({
    document,
    language,
    text: block,
  }));
}

/** The blocks of one language, in their order, as a reader would copy them. */
export function codeIn(document: string, wanted: string): string[] {
  return blocksOf(document).flatMap(({ language, text }) => (language === wanted ? text : []));
}

/** Links to files and headings of the project that do not exist, as `document: target`. */
export function brokenLinks(document: string, text = readFileSync(document, "utf8")): string[] {
  const prose = blocksOf(document, text).reduce(
    (rest, block) => rest.replace(block.text, ""),
    text,
  );
  const targets = [...prose.matchAll(/\]\(([^)\s]+)\)|(?:src|srcset|href)="([^"]+)"/g)];
  return targets
    .map(([, link, attribute]) => link ?? attribute ?? "")
    .filter((target) => !/^[a-z]+:/.test(target) && !leadsSomewhere(document, target))
    .map((target) => `${document}: ${target}`);
}

/** Source files that the prose names and the project does not have, as `document: name`. */
export function missingFiles(
  document: string,
  text = readFileSync(document, "utf8"),
  files = projectFiles(),
): string[] {
  const names = [...text.matchAll(/`([\w./-]+\.(?:tsx?|mjs))`/g)].map(([, name = ""]) => name);
  return names
    .filter((name) => !files.some((file) => `/${file}`.endsWith(`/${name}`)))
    .map((name) => `${document}: ${name}`);
}

const longestLine = 140;
const generated = /^<!-- made .*?^<!-- end -->/gms;

/** Documents that `npm run docs` writes whole. */
export const generatedDocuments: readonly string[] = ["docs/events.md", "docs/operating.md"];

/** Lines of prose that are too long to edit. Rows of tables, tags and code cannot be wrapped, and nobody edits what is generated. */
export function longLines(document: string, text = readFileSync(document, "utf8")): string[] {
  const withoutText = (part: string) => part.replaceAll(/[^\n]/g, "");
  const prose = text.replaceAll(fenced, withoutText).replaceAll(generated, withoutText);
  const lines = prose.replaceAll(/`[^`\n]*`/g, "").split("\n");
  return lines.flatMap((line, index) =>
    line.length <= longestLine || /^\s*[|<]/.test(line) ? [] : `${document}:${index + 1}`,
  );
}

/** In the package it stands beside the folder docs/, and beside the notices that packing writes. */
const packageReadme = "tools/contract/packages/construct-readme.md";
const packedNotices = "THIRD-PARTY-NOTICES.txt";

function leadsSomewhere(document: string, target: string): boolean {
  const [path = "", heading] = target.split("#");
  const folder = document === packageReadme ? "." : dirname(document);
  const file = path === "" ? document : normalize(join(folder, path));
  if (document === packageReadme && path === packedNotices) return true;
  if (!existsSync(file)) return false;
  if (heading === undefined || !statSync(file).isFile()) return heading === undefined;
  return anchorsOf(readFileSync(file, "utf8")).includes(heading);
}

/** The names that GitHub gives to headings. */
function anchorsOf(markdown: string): string[] {
  return [...markdown.matchAll(/^#+ +(.+)$/gm)].map(([, heading = ""]) =>
    heading
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N} _-]/gu, "")
      .replaceAll(" ", "-"),
  );
}
