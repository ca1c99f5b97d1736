import { writeFileSync } from 'node:fs'
import { documentOf } from '../document.ts'
import { operations } from '../operations.ts'

// npm run openapi: writes the committed document, so that changes of operations show in review; a test compares it.
const file = new URL('../../openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(documentOf(operations), null, 2)}\n`)
