import {
  type Dialect,
  type Driver,
  PostgresAdapter,
  PostgresIntrospector,
  PostgresQueryCompiler,
  type TransactionSettings,
} from 'kysely'

/** The SQL of PostgreSQL over a driver of ours. */
export const dialectOver = (driver: Driver): Dialect => ({
  createAdapter: () => new PostgresAdapter(),
  createIntrospector: (db) => new PostgresIntrospector(db),
  createQueryCompiler: () => new PostgresQueryCompiler(),
  createDriver: () => driver,
})

/** The statement that begins a transaction. */
export const beginning = ({ isolationLevel }: TransactionSettings): string =>
  isolationLevel === undefined ? 'begin' : `begin isolation level ${isolationLevel}`
