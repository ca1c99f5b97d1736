/** For the TypeScript files that build the dashboard too. */
export function ensureDashboard(): Promise<boolean>
export function buildDashboard(options?: { into?: string; env?: NodeJS.ProcessEnv }): Promise<string | null>
