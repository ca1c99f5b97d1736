import { writeFileSync } from 'node:fs'
import { generatedFiles } from './files.ts'

// npm run generate: writes the committed types and tables; generated.test.ts compares them.
for (const [name, text] of generatedFiles()) writeFileSync(new URL(`../src/generated/${name}`, import.meta.url), text)
