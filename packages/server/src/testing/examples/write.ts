import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { documentOf } from '../../document.ts'
import { operations } from '../../operations.ts'
import { examplesFile, readExamples } from '../../platform/docs/examples.ts'
import { mergeExamples } from './merge.ts'
import type { RecordedExample } from './record.ts'

// npm run examples: writes what the tests have recorded into a folder. With --fresh no earlier example is kept.
const [folder = '', ...options] = process.argv.slice(2)
const recorded = readdirSync(folder).flatMap((name) =>
  readFileSync(join(folder, name), 'utf8')
    .split('\n')
    .filter((line) => line !== '')
    .map((line) => JSON.parse(line) as RecordedExample),
)
const kept = options.includes('--fresh') ? {} : readExamples()
const examples = mergeExamples(operations, documentOf(operations), { kept, recorded })
// One line for each reply, so that a change shows as one line in review.
const blocks = Object.entries(examples).map(([id, replies]) => {
  const lines = Object.entries(replies).map(([status, example]) => `    "${status}": ${JSON.stringify(example)}`)
  return `  "${id}": {\n${lines.join(',\n')}\n  }`
})
writeFileSync(examplesFile, `{\n${blocks.join(',\n')}\n}\n`)
const missing = Object.entries(examples).filter(
  ([, replies]) => !Object.keys(replies).some((status) => Number(status) < 400),
)
process.stdout.write(`${blocks.length - missing.length} of ${blocks.length} operations have an example\n`)
if (missing.length > 0) process.stdout.write(`Without one: ${missing.map(([id]) => id).join(', ')}\n`)
