/** For the TypeScript files that build the guides too. */
export function ensureGuides(options?: { signal?: AbortSignal }): Promise<boolean>
