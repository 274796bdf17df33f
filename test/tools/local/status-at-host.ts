import { request } from "node:http";

/** The status of the answer if the client names this host. fetch would not let a test choose it. */
export function statusAtHost(host: string, address: string): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    request(address, { headers: { host } }, (response) => {
      response.resume();
      resolve(response.statusCode);
    })
      .on("error", reject)
      .end();
  });
}
