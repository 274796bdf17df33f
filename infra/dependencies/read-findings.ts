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

const answerSchema = z.looseObject({ vulnerabilities: z.looseObject({}) });

/**
 * What `npm audit --json` found. Without a report the registry did not answer the question. One finding that cannot be read
 * must not hide the others, so a report with one counts as unreadable, not as no answer.
 */
export function readFindings(output: string): Finding[] | "no-answer" | "unreadable" {
  const answer = answerSchema.safeParse(parseJson(output));
  if (!answer.success) return "no-answer";
  const report = reportSchema.safeParse(answer.data);
  if (!report.success) return "unreadable";
  return Object.values(report.data.vulnerabilities).flatMap(({ nodes, via }) =>
    via.flatMap((advisory) => {
      if (typeof advisory === "string") return [];
      const { url, ...rest } = advisory;
      return { ...rest, id: url.split("/").at(-1) ?? url, paths: nodes };
    }),
  );
}
