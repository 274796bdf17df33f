import * as z from "zod";
import type { StackContext } from "../stack/template/stack-context.ts";
import { StackError } from "../stack/template/template.ts";
import { readAlarm } from "./read-alarm.ts";
import type { NamedAlarm } from "./watch-alarms.ts";

const describedSchema = z.object({ AlarmDescription: z.string().default("") });

/** All alarms of the template. Throws if an alarm cannot be evaluated here: it would never go off. */
export function readAlarms(context: StackContext): readonly NamedAlarm[] {
  return context.declared("AWS::CloudWatch::Alarm").map(({ logicalId, resource }) => {
    const properties = context.resolve(resource.Properties);
    const { AlarmDescription: description } = describedSchema.parse(properties);
    try {
      return {
        name: `${context.stackName}-${logicalId}`,
        description,
        alarm: readAlarm(properties),
      };
    } catch (cause) {
      const reason = cause instanceof Error ? cause.message : String(cause);
      const message = `The local stack cannot evaluate the alarm ${logicalId}. ${reason}`;
      throw new StackError("local-properties-unknown", message, { cause });
    }
  });
}
