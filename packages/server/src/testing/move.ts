import { findProjectOrOnly } from '../account/projects/store.ts'
import type { Db } from '../core/db/database.ts'
import { readLines } from '../move/read-lines.ts'
import type { Target } from '../move/rows/claim.ts'
import { exportProject } from '../move/rows/export.ts'
import { type ImportResult, importProject } from '../move/rows/import.ts'

/** The text of a project's export. */
export async function exportedText(db: Db, projectId: string): Promise<string> {
  let text = ''
  for await (const part of exportProject(db, await findProjectOrOnly(db, projectId), Date.now())) text += part
  return text
}

export const importText = (db: Db, text: string, target: Target = { kind: 'original' }): Promise<ImportResult> =>
  importProject(db, readLines(bytesOf(text)), { target, now: Date.now })

/** In pieces of any length, as a file is read. */
async function* bytesOf(text: string): AsyncGenerator<Uint8Array> {
  const bytes = Buffer.from(text)
  for (let start = 0; start < bytes.length; start += 65_521) yield bytes.subarray(start, start + 65_521)
}
