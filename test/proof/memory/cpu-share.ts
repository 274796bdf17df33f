import { existsSync, mkdirSync, rmdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";

/** Lambda gives a function a whole core at this size, and a share in proportion to its memory below. */
export const wholeCoreMegabytes = 1_769;

/** The length of a period in microseconds. A process that has used its share waits for the next one. */
const period = 20_000;

const versionOne = "/sys/fs/cgroup/cpu";
const versionTwo = "/sys/fs/cgroup";

export interface CpuShare {
  /** From now on the process gets this share of one core. */
  readonly limit: (pid: number, share: number) => void;
  /** After the process has ended. */
  readonly remove: () => void;
}

/** A control group of Linux. Needs root, and works in both versions of control groups. */
export function createCpuShare(): CpuShare {
  const isVersionOne = existsSync(join(versionOne, "cpu.cfs_quota_us"));
  const folder = join(isVersionOne ? versionOne : versionTwo, `paycast-${process.pid}`);
  try {
    mkdirSync(folder);
  } catch (cause) {
    throw new Error("A share of a core needs Linux, its control groups and root.", { cause });
  }
  const write = (file: string, text: string) => writeFileSync(join(folder, file), text);
  return {
    limit: (pid, share) => {
      const quota = Math.round(period * share);
      if (isVersionOne) {
        write("cpu.cfs_period_us", `${period}`);
        write("cpu.cfs_quota_us", `${quota}`);
      } else {
        write("cpu.max", `${quota} ${period}`);
      }
      write("cgroup.procs", `${pid}`);
    },
    remove: () => rmdirSync(folder),
  };
}
