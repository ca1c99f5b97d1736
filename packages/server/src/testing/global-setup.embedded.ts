import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { emptyDatabase, migratedDatabase } from './snapshot.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database:
      | { kind: 'pglite' /** Migrated. */; snapshot: string /** Without tables. */; empty: string }
      | { kind: 'postgres'; url: string /** Migrated, without connections. */; template: string }
  }
}

/** Prepares the embedded database once; every worker, and every test with a database of its own, starts from a copy. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-test-'))
  const snapshot = join(folder, 'snapshot.tar')
  const empty = await emptyDatabase()
  await writeFile(snapshot, (await migratedDatabase(empty)).stream())
  project.provide('database', { kind: 'pglite', snapshot, empty })
  return () => rmSync(folder, { recursive: true, force: true })
}
