/** The response to an HTTP request, and its time. */
export interface Answered {
  readonly atMilliseconds: number;
  readonly endedMilliseconds: number;
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  readonly answer: string;
  /** The header of this name. */
  readonly location?: string | undefined;
}

/** `now` is the clock of the stack, if that is not this machine's. */
export async function ask(
  method: string,
  url: string,
  body?: string,
  now: () => number = Date.now,
): Promise<Answered> {
  const atMilliseconds = now();
  const answered = (status: number | undefined, answer: string, location?: string) => ({
    atMilliseconds,
    endedMilliseconds: now(),
    status,
    answer,
    location,
  });
  try {
    const signal = AbortSignal.timeout(30_000);
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { body };
    const response = await fetch(url, { method, headers, signal, ...sent });
    const location = response.headers.get("location") ?? undefined;
    return answered(response.status, await response.text(), location);
  } catch (error) {
    return answered(undefined, String(error));
  }
}
