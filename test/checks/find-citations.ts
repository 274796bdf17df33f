import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";

/** Sections of the payment service's interface that code and documents cite and docs/interface.md does not have. */
export function unknownCitations(files: readonly string[] = projectFiles()): string[] {
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

function projectFiles(): string[] {
  // In a container the checkout may belong to another user, and then git would refuse it.
  const anyOwner = ["-c", "safe.directory=*"];
  const options = ["--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", [...anyOwner, "ls-files", ...options]);
  const files = listed
    .toString()
    .split("\n")
    .filter((file) => /\.(ts|md|mjs)$/.test(file));
  return files.filter((file) => !file.startsWith("test/checks/"));
}
