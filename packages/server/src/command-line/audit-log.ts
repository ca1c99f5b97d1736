import { findProjectOrOnly } from '../account/projects/store.ts'
import { eraseFromAuditLog } from '../monitoring/audit-log/erase.ts'
import type { CommandEnvironment } from './outside.ts'
import { withDatabase } from './with-database.ts'

/** Shorter texts are in every entry. */
const lengthMin = 4

/** Erases a text, such as the id or address of a customer, from the audit log of a project. */
export async function eraseAuditLog(
  { settings, say }: CommandEnvironment,
  text: string,
  { project }: { project?: string | undefined },
): Promise<void> {
  if (text.length < lengthMin) throw new Error(`A text of at least ${lengthMin} characters can be erased.`)
  await withDatabase(settings, async (db) => {
    const { id, name } = await findProjectOrOnly(db, project)
    const changed = await eraseFromAuditLog(db, id, text)
    say(`Overwrote the text in ${changed} ${changed === 1 ? 'row' : 'rows'} of the audit log of ${name} (${id}).\n`)
  })
}
