import * as z from "zod";
import { parseJson } from "../../shared/parse-json.ts";

/** A published vulnerability of an installed package. */
export interface Finding {
  readonly id: string;
  readonly name: string;
  readonly title: string;
  readonly severity: Severity;
  /** Where the package is installed, from the root of the repository. */
  readonly paths: readonly string[];
}

const severitySchema = z.enum(["info", "low", "moderate", "high", "critical"]);
type Severity = z.infer<typeof severitySchema>;

const advisorySchema = z.object({
  name: z.string(),
  title: z.string(),
  url: z.string(),
  severity: severitySchema,
});

const reportSchema = z.object({
  vulnerabilities: z.record(
    z.string(),
    z.object({
      nodes: z.array(z.string()),
      /** Text names another package of the report, through which this one is affected. */
      via: z.array(z.union([z.string(), advisorySchema])),
    }),
  ),
});

/** What `npm audit --json` found; undefined if the registry did not answer the question. */
export function readFindings(output: string): Finding[] | undefined {
  const report = reportSchema.safeParse(parseJson(output));
  if (!report.success) return undefined;
  return Object.values(report.data.vulnerabilities).flatMap(({ nodes, via }) =>
    via.flatMap((advisory) => {
      if (typeof advisory === "string") return [];
      const { url, ...rest } = advisory;
      return { ...rest, id: url.split("/").at(-1) ?? url, paths: nodes };
    }),
  );
}
