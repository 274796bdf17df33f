import { Duration, Stack } from "aws-cdk-lib";
import {
  AlarmStatusWidget,
  AlarmStatusWidgetSortBy,
  Dashboard,
  GraphWidget,
  type IWidget,
  TextWidget,
} from "aws-cdk-lib/aws-cloudwatch";
import type { Construct } from "constructs";
import type { Severity } from "../alarms/alarm-rules.ts";
import type { PaycastAlarm } from "../alarms/paycast-alarm.ts";
import type { DashboardRow, Graph } from "./dashboard-row.ts";
import { type DashboardParts, rowsOf } from "./dashboard-rows.ts";

const fullWidth = 24;

/**
 * The alarms first, then the path of a callback from top to bottom. Each row names the runbook sections of its alarms.
 * Returns the dashboard's URL.
 */
export function addDashboard(
  scope: Construct,
  alarms: readonly PaycastAlarm[],
  parts: DashboardParts,
): string {
  const dashboard = new Dashboard(scope, "Dashboard", {
    dashboardName: dashboardName(scope),
    defaultInterval: Duration.days(1),
  });
  dashboard.addWidgets(...alarmStatus(alarms));
  for (const row of rowsOf(scope, parts)) {
    dashboard.addWidgets(heading(row));
    dashboard.addWidgets(...row.graphs.map((graph) => draw(graph, row.graphs.length)));
  }
  const url = dashboardUrl(scope);
  for (const alarm of alarms) alarm.describe((text) => `${text} Dashboard: ${url}`);
  return url;
}

/**
 * CloudFormation cannot choose the name: the alarms link to the dashboard and the dashboard shows the alarms, so each
 * would wait for the other.
 */
function dashboardName(scope: Construct): string {
  const { stackName, region } = Stack.of(scope);
  // Dashboard names are unique in an account across all regions.
  return `${stackName}-${region}`;
}

function dashboardUrl(scope: Construct): string {
  const { region } = Stack.of(scope);
  const page = `https://${region}.console.aws.amazon.com/cloudwatch/home?region=${region}`;
  return `${page}#dashboards/dashboard/${dashboardName(scope)}`;
}

function alarmStatus(alarms: readonly PaycastAlarm[]): IWidget[] {
  const status = (severity: Severity, title: string) =>
    new AlarmStatusWidget({
      title,
      alarms: alarms.filter((alarm) => alarm.severity === severity),
      sortBy: AlarmStatusWidgetSortBy.STATE_UPDATED_TIMESTAMP,
      width: fullWidth / 2,
      height: 6,
    });
  return [status("wake", "Pages the operator"), status("morning", "Can wait for the morning")];
}

function heading({ title, text, sections }: DashboardRow): IWidget {
  const names = sections.map((section) => `\`${section}\``).join(", ");
  const markdown = `## ${title}\n${text}\nRunbook: ${names}`;
  return new TextWidget({ markdown, width: fullWidth, height: 2 });
}

function draw({ title, metrics }: Graph, inRow: number): IWidget {
  return new GraphWidget({
    title,
    left: [...metrics],
    leftYAxis: { min: 0, showUnits: false },
    width: fullWidth / inRow,
    height: 6,
  });
}
