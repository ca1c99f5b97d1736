import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { tables } from './tables.ts'

const folder = fileURLToPath(new URL('../../../../../docs/reference', import.meta.url))

export interface ReferencePage {
  /** `docs/reference/errors.md`. */
  name: string
  file: string
  /** As it stands there. */
  text: string
  /** With the tables as the code makes them now. */
  current: string
}

const marked = /(<!-- generated: ([\w-]+) -->\n).*?(<!-- end generated -->)/gs

/** Every page that has generated tables. */
export function referencePages(): ReferencePage[] {
  const pages: ReferencePage[] = []
  const filled: string[] = []
  for (const name of globSync('*.md', { cwd: folder }).sort()) {
    const file = join(folder, name)
    const text = readFileSync(file, 'utf8')
    const current = text.replaceAll(marked, (_, start: string, table: string, end: string) => {
      const make = tables[table]
      if (make === undefined) throw new Error(`docs/reference/${name} asks for the table ${table}, which nothing makes`)
      filled.push(table)
      return `${start}\n${make()}\n\n${end}`
    })
    if (current.includes('<!-- generated: ')) pages.push({ name: `docs/reference/${name}`, file, text, current })
  }
  const homeless = Object.keys(tables).filter((table) => !filled.includes(table))
  if (homeless.length > 0) throw new Error(`No page of docs/reference has a place for: ${homeless.join(', ')}`)
  return pages
}
