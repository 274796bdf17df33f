import { randomUUID } from "node:crypto";
import { request } from "node:http";
import { expect } from "vitest";
import type { ProfileInput } from "../../../shared/envelope/profile.ts";
import type { RingingAlarm } from "../../../tools/operations/overview/read-alarms.ts";
import { orderResult } from "../../builders/callback.ts";
import { alarmingOptions } from "../../infra/alarm-shapes.ts";
import { plainId } from "../../infra/stack-template.ts";
import type { Run } from "../../tools/cli/run-paycast.ts";
import { openConsole } from "../../tools/console/open-console.ts";
import { type OperatedStack, useOperatedStack } from "../../tools/operations/operated-stack.ts";
import { createCallbackSender, serviceCallback } from "../causes.ts";
import { labRequest } from "../runbook.ts";

export const merchantId = "shop-1";

/** One order at a time: a second one is throttled. */
const config = { concurrency: { createOrder: 1 }, ...alarmingOptions };

/** The local stack allows its own address beside those of the config (tools/local/shop-address.ts). */
const otherAddress = "127.0.0.2";

/** The service's clock is the stack's. */
export function useScene(): Scene {
  return createScene(useOperatedStack(config, 1));
}

/** A stack on which somebody provokes alarms, and hears which of them ring. */
export interface Scene {
  readonly operated: OperatedStack;
  readonly jump: (minutes: number) => Promise<void>;
  readonly now: () => Promise<number>;
  /** Uses a switch of the Lab, by the name that the runbook gives it. */
  readonly lab: (name: string) => Promise<void>;
  readonly consumer: (subscriber: string, mode: "reads" | "nobody") => Promise<void>;
  /** The payment service sends a callback, authentic by default. Gives the status of the answer. */
  readonly callback: (orderNo: string, profile?: ProfileInput) => Promise<number>;
  /** An authentic callback from an address that the config does not list. */
  readonly callbackFromElsewhere: (orderNo: string) => Promise<number>;
  readonly isSilent: (...alarms: readonly string[]) => Promise<void>;
  /** `status` lists these alarms. Gives what the command says that the first one begins with. */
  readonly rings: (...alarms: readonly string[]) => Promise<Run>;
  readonly isOver: (...alarms: readonly string[]) => Promise<void>;
  readonly heard: { readonly rung: Set<string>; readonly ended: Set<string> };
}

/** The payment service sends an authentic callback. */
export async function accept({ callback }: Scene): Promise<void> {
  expect(await callback("REAL")).toBe(200);
}

function createScene(operated: OperatedStack): Scene {
  const heard = { rung: new Set<string>(), ended: new Set<string>() };
  const status = () => readStatus(operated);
  const now = async () => Date.parse((await operated.shop().control("GET", "/clock")).now);
  const send = async (path: string, body: object) => {
    const { send: post } = await openConsole(operated.stack().description.console);
    await post(`/api/lab/${path}`, body);
  };
  return {
    operated,
    heard,
    now,
    jump: (minutes) => operated.shop().step(minutes * 60),
    lab: async (name) => {
      const [path, body] = labRequest(name) ?? [];
      if (path === undefined || body === undefined) throw new Error(`The Lab has no ${name}`);
      await send(path, body);
    },
    consumer: (subscriber, mode) => send("consumers", { subscriber, mode }),
    callback: async (referOrderNo, profile = {}) => {
      const result = orderResult({ merchantId, referOrderNo });
      const sent = { id: randomUUID(), profile, nowMilliseconds: await now() };
      return await createCallbackSender(operated, merchantId)(result, sent);
    },
    callbackFromElsewhere: async (referOrderNo) => {
      const sent = { nowMilliseconds: await now() };
      const result = orderResult({ merchantId, referOrderNo });
      const body = serviceCallback(operated, merchantId, result, sent);
      return await postFrom(otherAddress, `${operated.stack().description.api}/callbacks`, body);
    },
    isSilent: async (...alarms) => {
      const ringing = await status();
      for (const alarm of alarms) expect([...ringing.keys()]).not.toContain(alarm);
    },
    rings: async (...alarms) => {
      const ringing = await status();
      for (const alarm of alarms) {
        expect([...ringing.keys()]).toContain(alarm);
        expectReportedInTerminal(operated, "alarm: ", ringing.get(alarm)?.text);
        heard.rung.add(alarm);
      }
      const [, , ...words] = ringing.get(alarms[0] ?? "")?.command?.split(" ") ?? [];
      return await operated.paycast(...words);
    },
    isOver: async (...alarms) => {
      const ringing = await status();
      for (const alarm of alarms) {
        expect([...ringing.keys()]).not.toContain(alarm);
        if (heard.rung.has(alarm)) heard.ended.add(alarm);
      }
      expectReportedInTerminal(operated, "alarm over: ", "");
    },
  };
}

async function postFrom(localAddress: string, url: string, body: string): Promise<number> {
  return await new Promise((resolve, reject) => {
    const headers = { "content-type": "application/json" };
    const sent = request(url, { method: "POST", localAddress, headers }, (answer) => {
      answer.resume().on("end", () => resolve(answer.statusCode ?? 0));
    });
    sent.on("error", reject).end(body);
  });
}

/** The alarms that ring, as an operator sees them, by their names in the template. */
async function readStatus(operated: OperatedStack): Promise<ReadonlyMap<string, RingingAlarm>> {
  const { alarms }: { alarms: RingingAlarm[] } = await operated.paycastJson("status");
  return new Map(alarms.map((alarm) => [plainId(alarm.name.replace(/^.*-/, "")), alarm]));
}

function expectReportedInTerminal(operated: OperatedStack, begin: string, text = ""): void {
  expect(operated.printed().some((line) => line.startsWith(`${begin}${text}`))).toBe(true);
}
