/** Hundreds of concurrent requests share a few connections: on a busy machine they wait longer than a caller should. */
export const connectionWaitSeconds = 120
