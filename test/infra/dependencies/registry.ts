import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { onTestFinished } from "vitest";

interface Advisory {
  readonly id: string;
  readonly severity: string;
}

/** A registry that knows these advisories, by the name of their package. Each concerns every version. Gives its address. */
export async function registryThatKnows(
  advisories: Readonly<Record<string, Advisory>>,
): Promise<string> {
  return await serve((request, response) => {
    if (request.method !== "POST") return response.writeHead(404).end("{}");
    const answer = Object.entries(advisories).map(([name, { id, severity }], index) => [
      name,
      [
        {
          id: index,
          url: `https://advisories.example/${id}`,
          title: `Fault ${id}`,
          severity,
          ...any,
        },
      ],
    ]);
    return response.end(JSON.stringify(Object.fromEntries(answer)));
  });
}

const any = { vulnerable_versions: "*", cwe: [], cvss: { score: 7, vectorString: null } };

/** A mirror that only hands packages out. Gives its address. */
export async function registryWithoutAudit(): Promise<string> {
  return await serve((_, response) => response.writeHead(405).end());
}

async function serve(listener: RequestListener): Promise<string> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  onTestFinished(() => {
    server.closeAllConnections();
    server.close();
  });
  return `http://127.0.0.1:${(server.address() as AddressInfo).port}/`;
}
