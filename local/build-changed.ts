import * as z from "zod";
import { type Bundle, bundleFunctions } from "../infra/lambda/bundle.ts";
import { PaycastError } from "../shared/paycast-error.ts";

type Build = (name: string) => Promise<readonly Bundle[]>;

/**
 * Builds the functions whose sources have changed and gives their names. A function that cannot be built keeps its old
 * bundle. Waits for all of them, so that no build is left running when the next one begins.
 */
export async function buildChanged(
  names: readonly string[],
  build: Build = (name) => bundleFunctions([name]),
): Promise<string[]> {
  const results = await Promise.allSettled(names.map(build));
  const reasons = results.flatMap((result) =>
    result.status === "rejected" ? describeFailure(result.reason) : [],
  );
  if (reasons.length > 0) {
    // Several functions import the same broken file, which is named once.
    throw new PaycastError("local-build-failed", [...new Set(reasons)].join("\n"));
  }
  const bundles = results.flatMap((result) => (result.status === "fulfilled" ? result.value : []));
  return bundles.filter(({ unchanged }) => !unchanged).map(({ name }) => name);
}

/** What esbuild throws. Its columns begin at 0, those of editors at 1. */
const failureSchema = z.object({
  cause: z.object({
    errors: z.array(
      z.object({
        text: z.string(),
        location: z.object({ file: z.string(), line: z.number(), column: z.number() }).nullable(),
      }),
    ),
  }),
});

function describeFailure(thrown: unknown): string[] {
  const failure = failureSchema.safeParse(thrown);
  if (!failure.success) return [thrown instanceof Error ? thrown.message : String(thrown)];
  return failure.data.cause.errors.map(({ text, location }) =>
    location === null ? text : `${location.file}:${location.line}:${location.column + 1} ${text}`,
  );
}
