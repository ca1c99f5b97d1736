import type { JsonSchema } from './openapi-schema.ts'

/** The subset of an OpenAPI 3.1 document that we generate. */
export interface OpenapiDocument {
  openapi: '3.1.1'
  info: { title: string; version: string; description: string; license: { name: string; identifier: string } }
  servers: Array<{ url: string; description: string }>
  tags: Array<{ name: string; description?: string }>
  /** Path → method in lower case → operation. */
  paths: Record<string, Record<string, DocumentedOperation>>
  components: {
    schemas: Record<string, JsonSchema>
    responses: Record<string, DocumentedResponse>
    parameters: Record<string, DocumentedParameter>
    headers: Record<string, { description: string; schema: JsonSchema }>
    securitySchemes: Record<string, SecurityScheme>
  }
}

export interface DocumentedOperation {
  operationId: string
  summary: string
  description?: string
  deprecated?: true
  tags: [string]
  security: Array<Record<string, string[]>>
  parameters: Array<DocumentedParameter | SchemaReference>
  requestBody?: { description: string; required: boolean; content: Content }
  responses: Record<string, DocumentedResponse | SchemaReference>
}

export interface DocumentedParameter {
  name: string
  in: 'path' | 'query' | 'header'
  required?: true
  description?: string
  style?: 'deepObject' | 'form'
  explode?: true
  schema: JsonSchema
}

export interface DocumentedResponse {
  description: string
  headers?: Record<string, SchemaReference>
  content?: Content
}

export type SecurityScheme =
  | { type: 'apiKey'; in: 'header' | 'cookie'; name: string; description: string }
  | {
      type: 'oauth2'
      description: string
      flows: { clientCredentials: { tokenUrl: string; scopes: Record<string, string> } }
    }

export interface SchemaReference {
  $ref: string
}

export type Content = Record<string, { schema: JsonSchema }>
