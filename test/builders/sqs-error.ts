/** An error as the SDK makes it of SQS's response. */
export function sqsError(name: string, httpStatusCode = 400): Error {
  return Object.assign(new Error("thrown by the test"), { name, $metadata: { httpStatusCode } });
}
