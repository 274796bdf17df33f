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

export function blocksOf(document: string, text = readFileSync(document, "utf8")): Block[] {
  const pattern = /^([ >]*)(`{3,}|~{3,}) *(\w*)[^\n]*\n(.*?)^[ >]*\2[`~]* *$/gms;
  return [...text.matchAll(pattern)].map(([, , , language = "", block = ""]) => ({
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
