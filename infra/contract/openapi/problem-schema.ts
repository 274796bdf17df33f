import * as z from "zod";
import type { ProblemCode } from "../../../shared/error-codes.ts";
import { serviceRefusalSchema } from "../../../shared/storefront/order-view.ts";
import { type Problem, problemOf } from "../../../shared/storefront/problem.ts";
import { problemDescriptions, problemKinds } from "../../../shared/storefront/problem-kinds.ts";

export const problemType = (kind: ProblemCode) => problemOf(kind, "").type;

/** Every kind of problem, as a table in Markdown. */
export function problemTable(): string {
  const rows = problemKinds.map((kind) => {
    const { status, when, whatToDo } = problemDescriptions[kind];
    return `| \`${problemType(kind)}\` | ${status} | ${when} | ${whatToDo} |`;
  });
  return ["| `type` | status | when | what to do |", "|---|---|---|---|", ...rows].join("\n");
}

/** RFC 9457. The types ensure that it matches what the functions send. */
export const faultSchema = z.object({ pointer: z.string(), detail: z.string() });

export const problemSchema = z.object({
  type: z.enum(problemKinds.map(problemType)),
  title: z.string(),
  status: z.int().min(400).max(599),
  detail: z.string(),
  errors: z.array(faultSchema).exactOptional(),
  retryAfterSeconds: z.int().min(1).exactOptional(),
  service: z.exactOptional(serviceRefusalSchema),
}) satisfies z.ZodType<Problem>;
