import { writeFileSync } from 'node:fs'
import { openapiOf } from '../core/http/openapi.ts'
import { operations } from '../operations.ts'
import { namedSchemas } from '../schema-names.ts'

// npm run openapi: writes the committed document, so that changes of operations show in review; a test compares it.
const file = new URL('../../openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(openapiOf(operations, namedSchemas), null, 2)}\n`)
