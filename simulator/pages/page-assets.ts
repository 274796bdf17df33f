import type { Route } from "../http/route.ts";
import { pageScript } from "./page-script.ts";
import { styleSheet } from "./style-sheet.ts";

export const assetRoutes: readonly Route[] = [
  {
    method: "GET",
    path: /^\/style\.css$/,
    handle: () => ({ status: 200, type: "text/css; charset=utf-8", body: styleSheet }),
  },
  {
    method: "GET",
    path: /^\/live\.js$/,
    handle: () => ({ status: 200, type: "text/javascript; charset=utf-8", body: pageScript }),
  },
];
