import type { SQSClient } from "@aws-sdk/client-sqs";
import { SignatureV4 } from "@smithy/signature-v4";

interface Call {
  readonly method: "GET" | "POST";
  readonly url: URL;
  readonly body?: string;
}

/** Gives a call the headers that prove who makes it. */
export type Authorize = (call: Call) => Promise<Record<string, string>>;

const json = { "content-type": "application/json" };

/** The local stack accepts unsigned calls. */
export const unsigned: Authorize = async () => json;

/** For a stack whose config says `"access": "jwt"`. */
export function withToken(token: string): Authorize {
  return async () => ({ ...json, authorization: `Bearer ${token}` });
}

/** For a stack whose config says `"access": "iam"`, the default: the same credentials that read the queue. */
export function withSignature({ config }: SQSClient): Authorize {
  return async ({ method, url, body }) => {
    const signer = new SignatureV4({
      service: "execute-api",
      region: config.region,
      credentials: config.credentials,
      sha256: config.sha256,
    });
    const { headers } = await signer.sign({
      method,
      protocol: url.protocol,
      hostname: url.hostname,
      path: url.pathname,
      headers: { ...json, host: url.host },
      body,
    });
    return headers;
  };
}
