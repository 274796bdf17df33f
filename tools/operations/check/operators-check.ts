import * as z from "zod";
import { parseJson } from "../../../shared/json/parse-json.ts";
import { anyoneMaySend } from "../../../shared/open-senders.ts";
import { available } from "../ports/available.ts";
import { type Check, faultsOr, ok, problem, type Verdict, warning } from "./finding.ts";

const policySchema = z.object({
  Statement: z.array(
    z.object({
      Sid: z.string().optional(),
      Condition: z
        .object({ ArnNotLike: z.object({ "aws:PrincipalArn": z.array(z.string()) }) })
        .optional()
        .catch(undefined),
    }),
  ),
});

/**
 * Who may send to the inbox by hand, and whether their account lets them. The check of the queue compares the policy.
 */
export const operatorsCheck: Check = {
  name: "operators",
  run: async (target) => {
    const { Policy = "" } = (await target.queues.open(target.queues.inbox.url).attributes()) ?? {};
    const senders = sendersIn(Policy);
    if (senders === undefined) return [ok(anyoneMaySend)];
    const roles = target.functions.all.map(({ role }) => role);
    const operators = senders.filter((sender) => !roles.includes(sender));
    if (operators.length === 0) return [noOperators];
    const foreign = operators.filter(
      (operator) => accountOf(operator) !== available(target.stack.deployment).accountId,
    );
    const found = `${operators.join(", ")} may redrive and replay, if IAM allows it`;
    return faultsOr(foreign.map(elsewhere), found);
  },
};

/** Undefined if the policy leaves it to IAM who may send. */
function sendersIn(policy: string): readonly string[] | undefined {
  const { data } = policySchema.safeParse(parseJson(policy));
  const refusal = data?.Statement.find(({ Sid }) => Sid === "OnlyKnownSenders");
  return refusal?.Condition?.ArnNotLike["aws:PrincipalArn"];
}

function accountOf(role: string): string | undefined {
  return role.split(":")[4];
}

const noOperators = warning(
  "Nobody may redrive or replay: the queues accept messages only from the functions.",
  "Add the roles of your operators to operators in the config, and deploy.",
);

function elsewhere(role: string): Verdict {
  return problem(
    `${role} is a role of another account and cannot send to the queues.`,
    "Use a role of the stack's account for operators in the config, and deploy.",
  );
}
