import type { Principal } from "../../../tools/local/permissions/guard.ts";
import type { AwsClients } from "../../../tools/operations/aws/aws-clients.ts";
import type { LocalDescription } from "../../../tools/operations/local-stack/local-description.ts";
import type { Target } from "../../../tools/operations/ports/target.ts";

/** The stack of a test, as its template and the emulators have it. */
export interface TestStackParts {
  readonly description: LocalDescription;
  /** The roles of its functions. */
  readonly principals: readonly Principal[];
}

/** A target for a test, and an administrator's clients of its emulators. */
export interface TestTarget {
  readonly target: () => Target;
  readonly clients: () => AwsClients;
}

/** The same target, whose audit lines cannot be written. */
export function withoutAudit(target: Target, message: string): Target {
  const write = () => Promise.reject(new Error(message));
  return { ...target, audit: { ...target.audit, write } };
}
