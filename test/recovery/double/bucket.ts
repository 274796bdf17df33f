import type { IncomingMessage, ServerResponse } from "node:http";
import { buffer } from "node:stream/consumers";

/** The bucket for assets: what was put into it, by its path. */
export async function serveBucket(
  request: IncomingMessage,
  response: ServerResponse,
  objects: Map<string, Buffer>,
): Promise<void> {
  const { pathname, searchParams } = new URL(request.url ?? "", "http://localhost");
  const body = await buffer(request);
  if (request.method === "PUT") {
    objects.set(pathname, body);
    response.end();
  } else if (searchParams.has("encryption")) {
    response.end(encryption);
  } else if (searchParams.has("list-type")) {
    const key = searchParams.get("prefix") ?? "";
    response.end(listing(objects.has(`${pathname.replace(/\/$/, "")}/${key}`) ? key : undefined));
  } else {
    response.end("<LocationConstraint/>");
  }
}

const encryption =
  "<ServerSideEncryptionConfiguration><Rule><ApplyServerSideEncryptionByDefault><SSEAlgorithm>AES256</SSEAlgorithm></ApplyServerSideEncryptionByDefault></Rule></ServerSideEncryptionConfiguration>";

function listing(key: string | undefined): string {
  const contents = key === undefined ? "" : `<Contents><Key>${key}</Key><Size>1</Size></Contents>`;
  return `<ListBucketResult><KeyCount>${key === undefined ? 0 : 1}</KeyCount>${contents}</ListBucketResult>`;
}
