import { PaycastError } from "./paycast-error.ts";

/**
 * Stands in for the SDK's default credential chain inside the bundles. Lambda always puts a function's
 * credentials in its environment, so the chain's other ways (files, single sign-on, web identity, instance
 * metadata), some 130 KB of code, would only be loaded at every cold start and never used.
 */
export function defaultProvider() {
  return async () => {
    const accessKeyId = process.env["AWS_ACCESS_KEY_ID"];
    const secretAccessKey = process.env["AWS_SECRET_ACCESS_KEY"];
    const sessionToken = process.env["AWS_SESSION_TOKEN"];
    if (!accessKeyId || !secretAccessKey) {
      throw new PaycastError("credentials-missing", "the environment holds no AWS credentials");
    }
    return { accessKeyId, secretAccessKey, ...(sessionToken && { sessionToken }) };
  };
}
