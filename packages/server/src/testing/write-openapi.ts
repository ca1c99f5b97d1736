import { writeFileSync } from 'node:fs'
import { openapiOf } from '../core/http/openapi.ts'
import { operations } from '../operations.ts'
import { namedSchemas } from '../schemas.ts'

// The committed documentation: what changes in the operations shows in review, and a test compares.
const file = new URL('../../openapi.json', import.meta.url)
writeFileSync(file, `${JSON.stringify(openapiOf(operations, namedSchemas), null, 2)}\n`)
