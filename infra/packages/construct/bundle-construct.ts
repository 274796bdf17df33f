import { fileURLToPath } from "node:url";
import { bundleInto, writeInto } from "./package-files.ts";

const entry = fileURLToPath(new URL("public.ts", import.meta.url));

/**
 * One implementation, in CommonJS as the CDK itself, and a module that exports the same for ESM. With two
 * implementations in one app, a construct of one would not be recognised by the other.
 */
export async function bundleConstruct(folder: string): Promise<string[]> {
  const inputs = await bundleInto({
    entryPoints: { index: entry },
    outdir: folder,
    format: "cjs",
    outExtension: { ".js": ".cjs" },
    external: ["aws-cdk-lib", "constructs"],
    define: { "import.meta.url": "moduleUrl" },
    banner: { js: 'const moduleUrl = require("node:url").pathToFileURL(__filename).href;' },
  });
  const names = ["Paycast", "PaycastConsumer", "importPaycastQueue"];
  writeInto(folder, "index.js", `export { ${names.join(", ")} } from "./index.cjs";\n`);
  return inputs;
}
