/** The response to an HTTP request, and its time. */
export interface Answered {
  readonly atMilliseconds: number;
  readonly endedMilliseconds: number;
  /** Undefined if there was no response. */
  readonly status: number | undefined;
  readonly answer: string;
}

/** `now` is the clock of the stack, if that is not this machine's. */
export async function ask(
  method: string,
  url: string,
  body?: string,
  now: () => number = Date.now,
): Promise<Answered> {
  const atMilliseconds = now();
  const answered = (status: number | undefined, answer: string) => ({
    atMilliseconds,
    endedMilliseconds: now(),
    status,
    answer,
  });
  try {
    const signal = AbortSignal.timeout(30_000);
    const headers = { "content-type": "application/json" };
    const sent = body === undefined ? {} : { body };
    const response = await fetch(url, { method, headers, signal, ...sent });
    return answered(response.status, await response.text());
  } catch (error) {
    return answered(undefined, String(error));
  }
}
