import type pg from 'pg'

/** Closes a connection at once: to say goodbye to a server that does not answer would take as long as the statement. */
export const closeAtOnce = ({ connection: { stream } }: pg.Client, error?: Error): void => void stream.destroy(error)
