/**
 * Hundreds of concurrent requests share a few connections: on a busy machine they wait longer than a caller should, and the
 * database takes longer to accept a connection that asks about them.
 */
export const patientWaits = { connection_wait_seconds: 120, statement_answer_seconds: 60 }
