import { cpSync, readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import packageJson from "../../../package.json" with { type: "json" };
import { configTypes } from "../generated-types/config-types.ts";
import { bundleParts, root, writeInto } from "./bundles.ts";
import { declareTypes, entryIn, npmPack } from "./make-package.ts";
import { checkNotices, thirdPartyNotices } from "./third-party-notices.ts";

/** Writes the tarball of the package `paycast` and returns its path. */
export async function packConstruct(destination: string): Promise<string> {
  return await npmPack(destination, async (folder) => {
    const content = await bundleParts(folder);
    // The schema's inferred types would need zod and have no comments.
    const instead = { "infra/config/paycast-config.ts": configTypes() };
    declareTypes(
      join(folder, "construct"),
      { index: "construct.ts" },
      { types: ["node"], instead },
    );
    copyDocuments(folder);
    const notices = thirdPartyNotices();
    checkNotices(notices, content);
    writeInto(folder, "THIRD-PARTY-NOTICES.txt", notices);
    return manifest();
  });
}

/** The package has no dependencies: it bundles everything except the CDK, of which an app has exactly one. */
function manifest(): object {
  const { name, version, license, engines } = packageJson;
  return {
    name,
    version,
    description:
      "CDK construct that receives payment callbacks and sends typed events to SQS queues, and its operators' command",
    keywords: ["aws-cdk", "payments", "webhooks", "sqs", "cloudevents"],
    license,
    type: "module",
    engines,
    bin: { paycast: "cli/paycast.js" },
    // For tools that do not read "exports".
    main: "./construct/index.cjs",
    types: "./construct/index.d.cts",
    exports: {
      ".": entryIn("./construct/index"),
      "./package.json": "./package.json",
    },
    // CI synthesizes the example with the oldest of each.
    peerDependencies: { "aws-cdk-lib": "^2.252.0", constructs: "^10.5.0" },
  };
}

/** Documents about the repository, or of the package paycast-events. The pictures belong to the README. */
const leftOut =
  /docs\/(decisions|dependencies\.md|extending\.md|packages|proof|proof\.md|scale\.md|schemas)$/;

/** Alarms and the command name sections of the documents, so the package contains them. */
function copyDocuments(folder: string): void {
  const filter = (path: string) => {
    if (/images\/(console|flow|load)[-.]/.test(path) || leftOut.test(path)) return false;
    return statSync(path).isDirectory() || /\.(md|json|svg)$/.test(path);
  };
  cpSync(join(root, "docs"), join(folder, "docs"), { recursive: true, filter });
  for (const name of ["LICENSE", "CHANGELOG.md", "SECURITY.md"]) {
    cpSync(join(root, name), join(folder, name));
  }
  cpSync(join(root, "tools/contract/packages/construct-readme.md"), join(folder, "README.md"));
  for (const path of documentsIn(folder)) {
    writeFileSync(path, withoutDeadLinks(readFileSync(path, "utf8"), dirname(path), folder));
  }
}

function documentsIn(folder: string): string[] {
  const paths = readdirSync(folder, { recursive: true, encoding: "utf8" });
  return paths.filter((path) => path.endsWith(".md")).map((path) => join(folder, path));
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
