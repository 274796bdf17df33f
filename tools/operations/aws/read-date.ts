import { GetQueueAttributesCommand, type SQSClient } from "@aws-sdk/client-sqs";
import * as z from "zod/mini";

const datedSchema = z.object({ headers: z.object({ date: z.string() }) });

/** The Date header of a response of SQS. */
export async function readDate(sqs: SQSClient, QueueUrl: string): Promise<string | undefined> {
  let date: string | undefined;
  const command = new GetQueueAttributesCommand({ QueueUrl });
  command.middlewareStack.add(
    (next) => async (args) => {
      const answered = await next(args);
      date = datedSchema.safeParse(answered.response).data?.headers.date;
      return answered;
    },
    { step: "deserialize", name: "readDate", priority: "low" },
  );
  await sqs.send(command);
  return date;
}
