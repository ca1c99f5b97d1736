/** The folder of the repository. */
export const root: string

export function runQuietly(args: readonly string[], options?: object): Promise<{ code: number; output: string }>

/** The options of npm for what the service and its dashboard need; `hasNode`: the running Node is new enough for them. */
export function toRun(hasNode: boolean): string[]

/** The path of the bundled Node for this platform, from its package on. */
export const bundledNode: string | undefined

/** The path of an installed program's entry, for running it with the workspace's Node. */
export function binary(path: string): string
