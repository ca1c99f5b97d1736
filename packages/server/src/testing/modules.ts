import { readFileSync } from 'node:fs'
import { posix } from 'node:path'
import { serviceTexts } from './sources.ts'

/** The page with the module diagram, which stands between two marker lines. */
export const architectureFile = new URL('../../../../docs/architecture.md', import.meta.url)
const [begin, end] = ['<!-- modules: npm run modules -->', '<!-- /modules -->']

/** From the top: a module may import those below it (layers.test.ts). The folders beside the modules are not shown. */
export const modules: readonly string[] = [
  'exports',
  'statistics',
  'trash-bin',
  'redemptions',
  'loyalty',
  'checkout',
  'incentives',
  'rules',
  'orders',
  'catalogue',
  'audience',
  'definitions',
  'webhooks',
  'monitoring',
  'account',
  'core',
]

/** The architecture page with the diagram generated from the current imports. */
export function drawnArchitecture(): { page: string; isCurrent: boolean } {
  const page = readFileSync(architectureFile, 'utf8')
  const [before, after] = [page.indexOf(begin), page.indexOf(end)]
  if (before < 0 || after < before) throw new Error(`docs/architecture.md has no lines "${begin}" and "${end}"`)
  const newPage = `${page.slice(0, before)}${begin}\n\n\`\`\`\n${diagram()}\`\`\`\n\n${page.slice(after)}`
  return { page: newPage, isCurrent: newPage === page }
}

/** A column for each module that is imported, a row for each that imports: how many files of the row import a file of the column. */
function diagram(): string {
  const importers = countImporters()
  const width = Math.max(...modules.map((name) => name.length))
  const cells = (row: number) =>
    modules.map((to, column) => {
      const count = importers.get(`${modules[row]} ${to}`) ?? 0
      const text = column === row ? '■' : count > 0 ? String(count) : '·'
      return text.padStart(columnWidth(column))
    })
  // Columns are labelled with numbers: names would make the diagram twice as wide.
  const columnWidth = (column: number) => Math.max(4, String(column + 1).length + 1)
  const head = modules.map((_, column) => String(column + 1).padStart(columnWidth(column))).join('')
  const lines = modules.map((name, row) => `${String(row + 1).padStart(2)} ${name.padEnd(width)}${cells(row).join('')}`)
  return `   ${' '.repeat(width)}${head}\n${lines.map((line) => `${line.trimEnd()}\n`).join('')}`
}

function countImporters(): Map<string, number> {
  const importers = new Map<string, number>()
  for (const [full, text] of serviceTexts()) {
    const path = full.replace(/^packages\/server\/src\//, '')
    const [from] = path.split('/') as [string]
    if (path === full || !modules.includes(from)) continue
    const targets = [...text.matchAll(/from '(\.[^']+)'/g)].map(
      ([, target]) => posix.join(posix.dirname(path), target as string).split('/')[0] as string,
    )
    for (const to of new Set(targets)) {
      if (to === from || !modules.includes(to)) continue
      importers.set(`${from} ${to}`, (importers.get(`${from} ${to}`) ?? 0) + 1)
    }
  }
  return importers
}
