import type { Metafile } from "esbuild";

/** The files of which something is in a bundle. What esbuild read and then left out is not among them. */
export function contentOf({ outputs }: Metafile): string[] {
  const files = Object.values(outputs).flatMap(({ inputs }) =>
    Object.entries(inputs).flatMap(([file, { bytesInOutput }]) => (bytesInOutput > 0 ? file : [])),
  );
  return [...new Set(files)].sort();
}
