import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";

const besideDocs = ["LICENSE", "CHANGELOG.md", "SECURITY.md"];

/** The alarms and the command name sections of the documents, so these are in the package, without what only the repository needs. */
export function copyDocuments(root: string, folder: string): void {
  const filter = (path: string) => {
    if (/images\/console\./.test(path)) return false;
    return statSync(path).isDirectory() || /\.(md|json|svg)$/.test(path);
  };
  cpSync(join(root, "docs"), join(folder, "docs"), { recursive: true, filter });
  for (const name of besideDocs) cpSync(join(root, name), join(folder, name));
  cpSync(join(root, "infra/packages/construct/README.md"), join(folder, "README.md"));
  for (const path of documentsIn(folder)) {
    writeFileSync(path, withoutDeadLinks(readFileSync(path, "utf8"), dirname(path), folder));
  }
}

function documentsIn(folder: string): string[] {
  const paths = readdirSync(join(folder, "docs"), { recursive: true, encoding: "utf8" });
  return paths.filter((path) => path.endsWith(".md")).map((path) => join(folder, "docs", path));
}

/** "[a shop](../examples/shop/README.md)" becomes "a shop (examples/shop of the repository)". */
function withoutDeadLinks(text: string, from: string, folder: string): string {
  return text.replace(/\[([^\]]+)\]\((?!https?:|#)([^)#\s]+)(#[^)]*)?\)/g, (link, words, to) => {
    const target = join(from, to);
    if (statSync(target, { throwIfNoEntry: false }) !== undefined) return link;
    const place = relative(folder, target).replace(/\/README\.md$/, "");
    return `${words} (${place} of the repository)`;
  });
}
