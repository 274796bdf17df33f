import { startDynamodb } from "../../local/aws/dynamodb.ts";

/** Once for all test files: whatever the DynamoDB emulator needs on this platform is fetched before they race for it. */
export default async function prepareEmulators(): Promise<void> {
  const dynamodb = await startDynamodb({ tell: (step) => console.log(`preparing: ${step}`) });
  await dynamodb.stop();
}
