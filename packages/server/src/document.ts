import { type OpenapiDocument, openapiOf } from './core/http/openapi.ts'
import { newDescriber } from './core/http/openapi-descriptions.ts'
import type { Operation } from './core/http/operation.ts'
import { descriptions } from './descriptions.ts'
import { namedSchemas } from './schema-names.ts'
import { tagDescriptions } from './tag-descriptions.ts'

/** The OpenAPI document of the operations, with the public names and descriptions of their schemas. */
export const documentOf = (operations: readonly Operation[], describer = newDescriber(descriptions)): OpenapiDocument =>
  openapiOf(operations, namedSchemas, describer, tagDescriptions)
