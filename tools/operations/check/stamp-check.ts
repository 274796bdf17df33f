import { DescribeSecretCommand } from "@aws-sdk/client-secrets-manager";
import { toRfc3339 } from "../../../shared/time/timestamp.ts";
import { type Check, ok, problem, type Verdict } from "./finding.ts";

/** Whether the functions can stamp their messages. The key itself is not read. */
export const stampKeyCheck: Check = {
  name: "stamp key",
  run: async ({ clients, stampKey: SecretId }) => {
    const secret = await clients.secretsManager.send(new DescribeSecretCommand({ SecretId }));
    const { DeletedDate, VersionIdsToStages = {} } = secret;
    return [verdictOn(DeletedDate, Object.values(VersionIdsToStages).flat(), SecretId)];
  },
};

function verdictOn(
  deletedAt: Date | undefined,
  stages: readonly string[],
  secretId: string,
): Verdict {
  const command = (verb: string) => `aws secretsmanager ${verb} --secret-id ${secretId}`;
  if (deletedAt !== undefined) {
    const message = `The secret was deleted. Secrets Manager removes it permanently at ${toRfc3339(deletedAt.getTime())}, and no callback can be stored without it.`;
    return problem(message, `Restore it: ${command("restore-secret")}`);
  }
  if (!stages.includes("AWSCURRENT")) {
    const value = '--secret-string "$(openssl rand -hex 32)"';
    return problem("The secret has no value.", `Set one: ${command("put-secret-value")} ${value}`);
  }
  if (!stages.includes("AWSPREVIOUS")) return ok("present");
  return ok("present; the stamp of the previous version is also accepted");
}
