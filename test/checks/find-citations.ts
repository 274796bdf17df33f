import { readFileSync } from "node:fs";
import { projectFiles } from "./project-files.ts";

/** Sections of the payment service's interface that code and documents cite and docs/interface.md does not have. */
export function unknownCitations(files: readonly string[] = citingFiles()): string[] {
  const known = knownSections();
  return files.flatMap((file) =>
    citedSections(readFileSync(file, "utf8"))
      .filter((section) => !known.has(section))
      .map((section) => `${file} cites §${section}, which docs/interface.md does not have.`),
  );
}

export function citedSections(text: string): string[] {
  return [...text.matchAll(/§(\d+(?:\.\d+)*)/g)].map(([, section = ""]) => section);
}

function knownSections(): Set<string> {
  const headings = readFileSync("docs/interface.md", "utf8").matchAll(/^#+ §([\d.]+) /gm);
  return new Set([...headings].map(([, section = ""]) => section));
}

function citingFiles(): string[] {
  const files = projectFiles().filter((file) => /\.(ts|md|mjs)$/.test(file));
  return files.filter((file) => !file.startsWith("test/checks/"));
}
