import * as z from "zod";
import { cdkToken } from "./arn-config.ts";

const idOf = (prefix: string, what: string) => {
  const pattern = new RegExp(`^${prefix}-[0-9a-f]{8,17}$`);
  return z
    .string()
    .refine((id) => cdkToken.test(id) || pattern.test(id), `must be the id of a ${what}`);
};

/** Ids, because a lookup would need credentials when the stack is synthesized. The limits are Lambda's own. */
export const egressSchema = z.strictObject({
  subnetIds: z.array(idOf("subnet", "subnet")).min(1).max(16),
  securityGroupIds: z.array(idOf("sg", "security group")).min(1).max(5),
});
