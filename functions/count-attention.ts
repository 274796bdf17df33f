import type { Context, ScheduledEvent } from "aws-lambda";
import * as z from "zod/mini";
import { readEnvironment } from "../shared/read-environment.ts";
import { createDatabases } from "../shared/table/database.ts";
import { createLog } from "../shared/telemetry/log-line.ts";
import { answerMarginMilliseconds } from "../shared/timing.ts";
import { countAttention, readPart } from "../shared/watching/count-attention.ts";

const environmentSchema = z.object({ CALLBACKS_TABLE: z.string(), METRICS_NAMESPACE: z.string() });

function wire(): (event: ScheduledEvent, context: Context) => Promise<void> {
  const env = readEnvironment(environmentSchema, process.env);
  const now = Date.now;
  const log = createLog({ service: "count-attention", namespace: env.METRICS_NAMESPACE, now });
  const databaseUntil = createDatabases(now);
  return async (_event, context) => {
    const endsAt = now() + context.getRemainingTimeInMillis() - answerMarginMilliseconds;
    const database = databaseUntil(endsAt);
    await countAttention({
      read: (part, until) => readPart(database, env.CALLBACKS_TABLE, part, until),
      now,
      log,
    });
  };
}

export const handler = wire();
