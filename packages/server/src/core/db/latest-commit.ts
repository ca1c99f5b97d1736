import type { Db } from './database.ts'
import { preparedStatement } from './prepared-statements.ts'

/**
 * The highest id of a transaction that this process has committed, for the position that replies to writes return
 * (docs/decisions/0079-replicas.md). It comes with the answer to the commit, or to the statement that is a transaction by itself.
 */
export class LatestCommit {
  #id = 0

  /** 0: none yet. */
  get id(): number {
    return this.#id
  }

  /** After a failover: the new primary may not have that transaction, and number others by its id. */
  forget(): void {
    this.#id = 0
  }

  /** Null: the transaction has written nothing, so it has no id. */
  note(id: string | null | undefined): void {
    if (id != null) this.#id = Math.max(this.#id, Number(id))
  }
}

const latestCommits = new WeakMap<Db, LatestCommit>()

/** Called once per pool whose commits are tracked. */
export function trackCommits(db: Db, latest: LatestCommit): void {
  latestCommits.set(db, latest)
}

/** Undefined: the commits of this database are not tracked. */
export const latestCommitOf = (db: Db): LatestCommit | undefined => latestCommits.get(db)

/** A column with the id of the transaction that the statement belongs to. */
export const commitId = 'pg_current_xact_id_if_assigned()::text as commit_id'

/**
 * A statement that saves with one function call. Where commits are tracked, and it is a transaction by itself, it notes its commit; elsewhere
 * it is nothing but the call, which a distributed database runs on the server of the project.
 */
export function savingStatement<Row>(call: string): (db: Db, values: readonly unknown[]) => Promise<Row[]> {
  const plain = preparedStatement<Row>(`select ${call}`)
  const withCommit = preparedStatement<Row & { commit_id: string | null }>(`select ${call}, ${commitId}`)
  return async (db, values) => {
    const latest = latestCommits.get(db)
    if (latest === undefined) return plain(db, values)
    const rows = await withCommit(db, values)
    latest.note(rows[0]?.commit_id)
    return rows
  }
}
