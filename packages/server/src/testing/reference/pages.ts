import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tables } from './tables.ts'

const folder = fileURLToPath(new URL('../../../../../docs/reference', import.meta.url))

export interface ReferencePage {
  /** `docs/reference/errors.md`. */
  name: string
  file: string
  /** The committed text. */
  text: string
  /** The text with newly generated tables. */
  current: string
}

const generatedBlock = /(<!-- generated: ([\w-]+) -->\n).*?(<!-- end generated -->)/gs

/** Every page that has generated tables. */
export function referencePages(): ReferencePage[] {
  const pages: ReferencePage[] = []
  const placedTables: string[] = []
  for (const name of globSync('*.md', { cwd: folder }).sort()) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    const current = text.replaceAll(generatedBlock, (_, start: string, table: string, end: string) => {
      const generate = tables[table]
      if (generate === undefined) throw new Error(`docs/reference/${name} has a marker for the unknown table ${table}`)
      placedTables.push(table)
      return `${start}\n${generate()}\n\n${end}`
    })
    if (current.includes('<!-- generated: ')) pages.push({ name: `docs/reference/${name}`, file, text, current })
  }
  const missingTables = Object.keys(tables).filter((table) => !placedTables.includes(table))
  if (missingTables.length > 0)
    throw new Error(`No page of docs/reference has a marker for: ${missingTables.join(', ')}`)
  return pages
}
