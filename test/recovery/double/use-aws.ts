import { CloudFormationClient } from "@aws-sdk/client-cloudformation";
import { afterAll, beforeAll, vi } from "vitest";
import { localCredentials } from "../../../local/aws/aws-clients.ts";
import { localRegion } from "../../../local/aws/emulator.ts";
import { type Emulators, startEmulators } from "../../../local/aws/start-emulators.ts";
import { type AwsDouble, serveAws } from "./serve-aws.ts";

/** The stand-in for an account, with a client for it. Commands in this process find it in the environment. */
export function useAws() {
  let emulators: Emulators;
  let aws: AwsDouble;
  let client: CloudFormationClient;
  beforeAll(async () => {
    emulators = await startEmulators();
    aws = await serveAws(emulators);
    const { endpoint } = aws;
    client = new CloudFormationClient({
      endpoint,
      region: localRegion,
      credentials: localCredentials,
    });
    vi.stubEnv("AWS_ENDPOINT_URL", endpoint);
    vi.stubEnv("AWS_REGION", localRegion);
    vi.stubEnv("AWS_ACCESS_KEY_ID", "operator");
    vi.stubEnv("AWS_SECRET_ACCESS_KEY", "operator");
  });
  afterAll(async () => {
    vi.unstubAllEnvs();
    client.destroy();
    await aws.stop();
    await emulators.stop();
  });
  return { aws: () => aws, client: () => client };
}
