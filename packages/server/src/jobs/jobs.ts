import type { Database } from '../db/connect.ts'

/** The job queues of this process. */
export interface Jobs {
  close(): Promise<void>
}

/** Creates and touches every queue; no job runs yet. */
export async function openJobs(_database: Database): Promise<Jobs> {
  return { close: async () => {} }
}
