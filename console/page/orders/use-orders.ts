import { useEffect, useState } from "preact/hooks";
import type { OrderList } from "../../../operations/orders/orders.ts";
import { type ApiError, asApiError, read } from "../api.ts";
import { addressOf, type Query } from "../router.tsx";
import { useView, type View } from "../use-view.ts";

/** As the server has it. */
const pageSize = 50;

/** One page of the list. A server's answer may end early, because it has read much: then the page goes on. */
export interface OrdersView {
  readonly isReading: boolean;
  /** Also how much was looked through for the page, by all answers together. */
  readonly list: OrderList;
  readonly problem: ApiError | undefined;
  readonly stop: () => void;
  readonly goOn: () => void;
}

/** While it reads on, the list is not read again at each change. */
export function useFirst(filter: Query): View<OrderList> {
  const [isLong, setLong] = useState(false);
  const first = useView<OrderList>(addressOf(["api", "orders"], filter), {
    isLive: !isLong,
  });
  const isNowLong = first.data !== undefined && isEarly(first.data);
  useEffect(() => setLong(isNowLong), [isNowLong]);
  return first;
}

export function useReadOn(filter: Query, first: OrderList): OrdersView {
  const [more, setMore] = useState<readonly OrderList[]>([]);
  const [isStopped, setStopped] = useState(false);
  const [problem, setProblem] = useState<ApiError>();
  const list = more.reduce(joined, first);
  const { next } = list;
  const isReading = isEarly(list) && !isStopped && problem === undefined;
  useEffect(() => {
    if (!isReading) return;
    const left = new AbortController();
    read<OrderList>(addressOf(["api", "orders"], { ...filter, after: next }), left.signal).then(
      (page) => setMore((before) => [...before, page]),
      (error: unknown) => left.signal.aborted || setProblem(asApiError(error)),
    );
    return () => left.abort();
  }, [isReading, next]);
  const goOn = () => {
    setProblem(undefined);
    setStopped(false);
  };
  return { isReading, list, problem, stop: () => setStopped(true), goOn };
}

/** It ends before the page is full and before the range ends. */
export function isEarly({ orders, next }: OrderList): boolean {
  return next !== undefined && orders.length < pageSize;
}

function joined(one: OrderList, { orders, looked, next, since }: OrderList): OrderList {
  return { ...one, orders: [...one.orders, ...orders], looked: one.looked + looked, next, since };
}
