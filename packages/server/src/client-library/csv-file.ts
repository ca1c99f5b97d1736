import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'

/** A temporary file with these lines, deleted when the test ends: the library takes paths. */
export function csvFile(...lines: string[]): string {
  const folder = mkdtempSync(join(tmpdir(), 'guerdon-client-library-'))
  onTestFinished(() => rmSync(folder, { recursive: true }))
  const path = join(folder, 'rows.csv')
  writeFileSync(path, `${lines.join('\n')}\n`)
  return path
}
