import { writeFileSync } from 'node:fs'
import { compareContract, coverageFile } from './compare.ts'

// npm run contract: writes docs/coverage.md, or with --check only reports whether it is up to date.
const say = (text: string): void => void process.stdout.write(`${text}\n`)
const isCheck = process.argv.includes('--check')
const { coverage, page, isPageCurrent, differences } = compareContract()

say(`${coverage.served_count} of ${coverage.public_count} operations of the public contract are served.`)
say(`${coverage.extensions.length} more operations are served beyond it.`)
if (!isCheck && !isPageCurrent) {
  writeFileSync(coverageFile, page)
  say('Wrote docs/coverage.md.')
}
if (isCheck && !isPageCurrent) say('docs/coverage.md is out of date: run `npm run contract` and commit it.')
for (const difference of differences) say(`packages/server/openapi.json: ${difference}`)
if (differences.length > 0) say('packages/server/openapi.json is out of date: run `npm run openapi` and commit it.')
process.exitCode = differences.length > 0 || (isCheck && !isPageCurrent) ? 1 : 0
