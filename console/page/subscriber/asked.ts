export type By = "order" | "payment" | "time";

/** What the form says about the events to replay. What belongs to another choice is kept, so that nothing is typed twice. */
export interface Asked {
  readonly by: By;
  readonly orderNo: string;
  readonly paymentId: string;
  /** As the browser's field writes it, in the user's own time zone. */
  readonly since: string;
  readonly until: string;
  readonly eventsPerSecond: number;
}

const hourMilliseconds = 3_600_000;

export function firstAsked(): Asked {
  const since = localText(Date.now() - hourMilliseconds);
  return { by: "order", orderNo: "", paymentId: "", since, until: "", eventsPerSecond: 50 };
}

/** What is missing, in words. */
export function faultOf(asked: Asked): string | undefined {
  const { by, orderNo, paymentId, since, eventsPerSecond } = asked;
  if (by === "order" && orderNo === "") return "Give the order number.";
  if (by === "payment" && paymentId === "") return "Give the payment id.";
  if (by === "time" && since === "") return "Give the time at which it begins.";
  const isRate = Number.isInteger(eventsPerSecond) && eventsPerSecond >= 1;
  return isRate && eventsPerSecond <= 500 ? undefined : "Send 1 to 500 events a second.";
}

export function bodyOf(asked: Asked): object {
  const { by, orderNo, paymentId, since, until, eventsPerSecond } = asked;
  switch (by) {
    case "order":
      return { by, orderNo, eventsPerSecond };
    case "payment":
      return { by, paymentId, eventsPerSecond };
    case "time":
      return { by, since: utc(since), until: utc(until), eventsPerSecond };
  }
}

function utc(text: string): string | undefined {
  return text === "" ? undefined : new Date(text).toISOString();
}

function localText(milliseconds: number): string {
  const offset = new Date(milliseconds).getTimezoneOffset() * 60_000;
  return new Date(milliseconds - offset).toISOString().slice(0, 16);
}
