import { afterAll, afterEach, beforeAll, beforeEach } from "vitest";
import {
  type Simulator,
  type SimulatorOptions,
  startSimulator,
} from "../../../tools/simulator/start-simulator.ts";
import { acknowledgement, type CallbackReceiver, startReceiver } from "./callback-receiver.ts";
import { create, createBody, createdPayment, query, type ServiceAnswer } from "./storefront.ts";
import { type Fields, newTestMerchant, openCallback, type TestMerchant } from "./test-merchant.ts";

type Options = Partial<SimulatorOptions>;

/** A simulator with a stopped clock, a merchant, and the merchant's callback endpoint. */
export class RunningSimulator {
  readonly merchant: TestMerchant;
  simulator!: Simulator;
  receiver!: CallbackReceiver;

  constructor(merchant = newTestMerchant()) {
    this.merchant = merchant;
  }

  async start(options: Options = {}): Promise<void> {
    this.receiver = await startReceiver();
    const merchants = [this.merchant.service];
    this.simulator = await startSimulator({ merchants, clockSpeed: 0, ...options });
  }

  async stop(): Promise<void> {
    await this.simulator.stop();
    await this.receiver.stop();
  }

  forget(): void {
    this.receiver.received.length = 0;
    this.receiver.answer = acknowledgement;
    this.simulator.clearFaults();
  }

  async step(seconds: number): Promise<void> {
    this.simulator.jumpClock(seconds);
    await this.simulator.settled();
  }

  /** Creates an order whose callbacks come to the receiver, and gives its paymentId. */
  async order(changed: Fields = {}, order: Fields = {}): Promise<string> {
    const body = createBody({ callbackUrl: this.receiver.url, ...changed }, order);
    return await createdPayment(this.simulator, this.merchant, body);
  }

  async paidOrder(): Promise<string> {
    const paymentId = await this.order();
    this.simulator.pay(paymentId);
    // Callbacks that are due at the same time are sent at the same time, and may arrive in either order.
    await this.simulator.settled();
    await this.step(2);
    return paymentId;
  }

  create(body: unknown = createBody()): Promise<ServiceAnswer> {
    return create(this.simulator, this.merchant, body);
  }

  query(paymentId: unknown): Promise<ServiceAnswer> {
    return query(this.simulator, this.merchant, paymentId);
  }

  envelopes(): Fields[] {
    return this.receiver.received.map(({ body }) => JSON.parse(body));
  }

  events(): unknown[] {
    return this.envelopes().map(({ eventName }) => eventName);
  }

  /** The result objects, after the signatures were verified. */
  results(): Fields[] {
    return this.receiver.received.map(({ body }) => openCallback(this.merchant, body));
  }
}

/** One simulator for all tests of a file. */
export function runSimulator(options: Options = {}): RunningSimulator {
  const running = new RunningSimulator();
  beforeAll(() => running.start(options));
  beforeEach(() => running.forget());
  afterAll(() => running.stop());
  return running;
}

/** A simulator for each test, which starts it with the options that it needs. */
export function runSimulatorPerTest(): RunningSimulator {
  const running = new RunningSimulator();
  afterEach(() => running.stop());
  return running;
}
