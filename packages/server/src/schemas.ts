import * as engine from '@guerdon/engine/schema'
import { IsSchema, type TSchema } from 'typebox'
import * as apiKeys from './api-keys/schema.ts'
import * as asyncActions from './async-actions/schema.ts'
import * as categories from './categories/schema.ts'
import * as oauth from './oauth/schema.ts'
import * as projects from './projects/schema.ts'
import * as stackingRules from './stacking-rules/schema.ts'

const modules = [engine, apiKeys, asyncActions, categories, oauth, projects, stackingRules]

/** Where the constant's name says more about our code than a reader of the documentation wants to know. */
const renamed: Readonly<Record<string, string>> = {
  AccessTokenForm: 'OauthAccessTokenForm',
  Introspection: 'OauthIntrospection',
  ProjectView: 'Project',
  StoredStackingRules: 'StackingRules',
  Token: 'OauthToken',
  TokenForm: 'OauthTokenForm',
}

/** What the documentation calls our schemas: the name of the constant that holds each. */
export const namedSchemas: ReadonlyArray<readonly [name: string, schema: TSchema]> = modules.flatMap((module) =>
  Object.entries(module)
    .filter((entry): entry is [string, TSchema] => IsSchema(entry[1]))
    .map(([name, schema]) => [renamed[name] ?? name, schema] as const),
)
