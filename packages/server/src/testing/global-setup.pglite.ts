import { mkdtempSync, rmSync } from 'node:fs'
import { writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { TestProject } from 'vitest/node'
import { snapshotOfFreshDatabase } from './snapshot.ts'

declare module 'vitest' {
  interface ProvidedContext {
    database: { kind: 'pglite'; snapshot: string } | { kind: 'postgres'; url: string }
  }
}

/** Prepares the embedded database once; every test file starts from a copy of it. */
export default async function setup(project: TestProject) {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-test-'))
  const snapshot = join(folder, 'snapshot.tar')
  await writeFile(snapshot, Buffer.from(await (await snapshotOfFreshDatabase()).arrayBuffer()))
  project.provide('database', { kind: 'pglite', snapshot })
  return () => rmSync(folder, { recursive: true, force: true })
}
