import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import type { SecretState } from "../ports/keys.ts";
import { type Check, ok, problem, type Verdict } from "./finding.ts";

/** Whether the functions can stamp their messages. The key itself is not read. */
export const stampKeyCheck: Check = {
  name: "stamp key",
  run: async ({ keys }) => [verdictOn(await keys.stateOf(keys.stampKey), keys.stampKey)],
};

function verdictOn({ deletedAtMilliseconds, labels }: SecretState, secretId: string): Verdict {
  const command = (verb: string) => `aws secretsmanager ${verb} --secret-id ${secretId}`;
  if (deletedAtMilliseconds !== undefined) {
    const message = `The secret was deleted. Secrets Manager removes it permanently at ${toRfc3339(deletedAtMilliseconds)}, and no callback can be stored without it.`;
    return problem(message, `Restore it: ${command("restore-secret")}`);
  }
  if (!labels.includes("AWSCURRENT")) {
    const value = '--secret-string "$(openssl rand -hex 32)"';
    return problem("The secret has no value.", `Set one: ${command("put-secret-value")} ${value}`);
  }
  if (!labels.includes("AWSPREVIOUS")) return ok("present");
  return ok("present; the stamp of the previous version is also accepted");
}
