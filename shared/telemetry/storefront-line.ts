import { GatewayError } from "../gateway/gateway-error.ts";
import { ProblemError } from "../storefront/problem.ts";
import { errorFields, type LogFields, type Metrics } from "./log-line.ts";

/** One line per call of the storefront: what came of it, and what the service said if it refused. */
export function describeStorefront(
  outcome: string | Error,
  httpStatus: number,
  durationMilliseconds: number,
): [fields: LogFields, metrics: Metrics] {
  const metrics = { Answered: 1, ServerFault: httpStatus >= 500 ? 1 : 0 };
  if (typeof outcome === "string") return [{ outcome, httpStatus, durationMilliseconds }, metrics];
  const serviceCode = outcome instanceof GatewayError ? outcome.refusal?.code : undefined;
  const reason = outcome instanceof ProblemError ? outcome.problem.type : undefined;
  const fields = {
    outcome: "problem",
    reason,
    ...(reason === undefined && errorFields(outcome)),
    serviceCode: serviceCode?.slice(0, 40),
    httpStatus,
    durationMilliseconds,
  };
  return [fields, metrics];
}
