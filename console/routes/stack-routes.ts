import type { Desk } from "../desk.ts";
import { type ApiRoute, view } from "../server/route.ts";

/** Which stack the page is about, and what it may do. */
export interface StackView {
  readonly kind: "local" | "deployed";
  readonly name: string;
  readonly region: string;
  readonly version: string | undefined;
  readonly api: string;
  readonly callbackUrl: string;
  readonly merchants: readonly string[];
  readonly subscribers: readonly string[];
  readonly canChange: boolean;
  readonly hasLab: boolean;
  readonly isLive: boolean;
}

export function stackRoutes(desk: Desk): ApiRoute[] {
  return [view("/api/stack", () => readStack(desk))];
}

async function readStack({ target: find, canChange, isLive, lab }: Desk): Promise<StackView> {
  const target = await find();
  const { kind, name, region, version, api, callbackUrl } = target;
  return {
    ...{ kind, name, region, version, api, callbackUrl },
    merchants: target.merchants.map(({ merchantId }) => merchantId),
    subscribers: target.subscribers.map((subscriber) => subscriber.name),
    ...{ canChange, isLive, hasLab: lab !== undefined },
  };
}
