import { readFileSync } from 'node:fs'

/** Of this release. The file lies two folders above, in the sources as in the published package. */
export const version: string = JSON.parse(
  readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'),
).version
