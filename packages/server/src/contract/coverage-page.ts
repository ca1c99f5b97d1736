import type { ContractCoverage } from './coverage.ts'

/** The text of `docs/coverage.md`: deterministic, so that a change of coverage shows up in review. */
export function coveragePage({ tags, extensions, served_count, public_count }: ContractCoverage): string {
  return `# Coverage of the public contract

Written by \`npm run contract\` from the table of operations; \`npm run contract -- --check\` and a test compare it.

**${served_count} of the ${public_count} operations** of the public contract (API version 2018-08-01) are served, and ${extensions.length} beyond it.

${table(
  ['Tag', 'Served', 'Not served'],
  [
    ...tags.map(({ tag, served, missing }) => [tag, String(served.length), String(missing.length)]),
    ['**All**', `**${served_count}**`, `**${public_count - served_count}**`],
  ],
)}

## Not served

${table(
  ['Tag', 'Operation', 'Title'],
  tags.flatMap(({ tag, missing }) => missing.map(({ method, path, title }) => [tag, `\`${method} ${path}\``, title])),
)}

## Beyond the contract

${table(
  ['Operation', 'Our id', 'Summary'],
  extensions.map(({ method, path, id, summary }) => [`\`${method} ${path}\``, `\`${id}\``, summary]),
)}

## Served, by tag

${tags
  .filter(({ served }) => served.length > 0)
  .map(
    ({ tag, served }) => `### ${tag}

${table(
  ['Operation', 'Title', 'Our id'],
  served.map(({ method, path, title, by }) => [`\`${method} ${path}\``, title, `\`${by.id}\``]),
)}`,
  )
  .join('\n\n')}
`
}

function table(heads: string[], rows: string[][]): string {
  if (rows.length === 0) return 'None.'
  const line = (cells: string[]) => `| ${cells.map((cell) => cell.replaceAll('|', '\\|')).join(' | ')} |`
  return [line(heads), line(heads.map(() => '---')), ...rows.map(line)].join('\n')
}
