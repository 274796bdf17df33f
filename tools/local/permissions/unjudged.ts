import { AwsError } from "../aws/aws-error.ts";

/** An unknown call is denied rather than allowed by mistake: AWS may check more in the call than the local stack does. */
export function unjudged(what: string): AwsError {
  const message = `The local stack cannot judge ${what}: add it to tools/local/permissions.`;
  return new AwsError("AccessDeniedException", message);
}
