import * as z from "zod";
import { html, page } from "../http/html.ts";
import { type Answer, type Route, seeOther, type Visit } from "../http/route.ts";
import { Refusal, refusalCodes } from "../orders/refusal.ts";
import type { Fields, NoticeBoard } from "./notices.ts";

export interface FormVisit {
  readonly fields: Fields;
  /** The part of the path that names the order or the callback. */
  readonly id: string;
  /** All values of a field that occurs several times. */
  readonly all: URLSearchParams;
}

export interface Form {
  readonly name: string;
  readonly path: RegExp;
  /** The page that has the form. A problem is shown there. */
  readonly page: (visit: FormVisit) => string;
  /** Returns the address to go to. */
  readonly work: (visit: FormVisit) => Promise<string> | string;
}

/** Every form ends in a redirect (303), also if it is refused: a reload then repeats nothing. */
export function formRoute(notices: NoticeBoard, form: Form): Route {
  return postRoute(form.path, async (visit) => {
    try {
      return seeOther(await form.work(visit));
    } catch (error) {
      const text = problemText(error);
      const notice = { kind: "problem", text, form: form.name, fields: visit.fields } as const;
      return seeOther(notices.show(form.page(visit), notice));
    }
  });
}

/** A POST that only a page of the simulator itself may send. */
export function postRoute(
  path: RegExp,
  handle: (visit: FormVisit) => Promise<Answer> | Answer,
): Route {
  return {
    method: "POST",
    path,
    handle: (visit: Visit, [id = ""]) =>
      orErrorPage(() => {
        if (!visit.sameSite) return errorPage(403, "Pages of another site may not do this.");
        const all = new URLSearchParams(visit.body.toString("utf8"));
        return handle({ fields: Object.fromEntries(all), id, all });
      }),
  };
}

/** Leaves out empty fields. */
export function filledIn(fields: Fields): Fields {
  return Object.fromEntries(Object.entries(fields).filter(([, value]) => value !== ""));
}

/** An order that does not exist has no page, so this is an answer of its own. */
export async function orErrorPage(work: () => Promise<Answer> | Answer): Promise<Answer> {
  try {
    return await work();
  } catch (error) {
    const isUnknown = error instanceof Refusal && error.code === refusalCodes.unknownPayment;
    return errorPage(isUnknown ? 404 : 409, problemText(error));
  }
}

function problemText(error: unknown): string {
  if (error instanceof z.ZodError) return z.prettifyError(error);
  if (error instanceof Refusal) return error.message;
  throw error;
}

function errorPage(status: number, message: string): Answer {
  const title = status === 404 ? "Not found" : "That did not work";
  const body = html`<section class="card"><h1>${title}</h1><p>${message}</p><p><a href="/">All orders</a></p></section>`;
  return page({ title, status }, body);
}
