import { execFileSync } from "node:child_process";

/** Every file of the project, by its path; new ones, too. In a container the checkout may belong to another user, which git would refuse. */
export function projectFiles(): string[] {
  const options = ["--cached", "--others", "--exclude-standard"];
  const listed = execFileSync("git", ["-c", "safe.directory=*", "ls-files", ...options]);
  return listed.toString().split("\n");
}
