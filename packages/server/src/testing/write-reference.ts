import { writeFileSync } from 'node:fs'
import { referencePages } from './reference/pages.ts'

// npm run reference: regenerates the tables of docs/reference from the code; reference.test.ts compares them.
for (const { name, file, text, current } of referencePages()) {
  if (text === current) continue
  writeFileSync(file, current)
  process.stdout.write(`Wrote ${name}.\n`)
}
