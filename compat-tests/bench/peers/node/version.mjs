import { readFileSync } from "node:fs";

const locked = JSON.parse(readFileSync(new URL("package-lock.json", import.meta.url), "utf8")).packages;

/** The version of a package that was installed. */
export function versionOf(name) {
  return locked[`node_modules/${name}`].version;
}
