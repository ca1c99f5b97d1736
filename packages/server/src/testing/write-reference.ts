import { writeFileSync } from 'node:fs'
import { referencePages } from './reference/pages.ts'

// npm run reference: makes the tables of docs/reference anew from the code; reference.test.ts compares.
for (const { name, file, text, current } of referencePages()) {
  if (text === current) continue
  writeFileSync(file, current)
  process.stdout.write(`${name} is written.\n`)
}
