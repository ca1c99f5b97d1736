import { readFileSync } from 'node:fs'

/** The relative path of package.json is the same in the sources and in the published package. */
const description = JSON.parse(readFileSync(new URL('../../../package.json', import.meta.url), 'utf8'))

/** The version of this release. */
export const version: string = description.version

/** The Node versions it runs on. */
export const engine: string = description.engines.node
