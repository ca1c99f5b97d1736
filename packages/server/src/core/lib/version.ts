import { readFileSync } from 'node:fs'

/** The version of this release. The relative path of package.json is the same in the sources and in the published package. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version
