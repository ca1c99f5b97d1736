export function runQuietly(args: readonly string[], options?: object): Promise<{ code: number; output: string }>

/** The path of an installed program's entry, for running it with the workspace's Node. */
export function binary(path: string): string
