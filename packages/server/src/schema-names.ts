import * as engine from '@guerdon/engine/schema'
import { IsSchema, type TSchema } from 'typebox'
import * as schemas from './schemas.ts'

/** Names in the OpenAPI document for constants whose own name would be unclear to its readers. */
const publicNames: Readonly<Record<string, string>> = {
  AccessTokenForm: 'OauthAccessTokenForm',
  Introspection: 'OauthIntrospection',
  NotificationView: 'Notification',
  ProjectView: 'Project',
  StoredStackingRules: 'StackingRules',
  StoredValidationRule: 'ValidationRule',
  Token: 'OauthToken',
  TokenForm: 'OauthTokenForm',
}

/** The schemas by their name in the OpenAPI document: the name of the exported constant, unless it is in `publicNames`. */
export const namedSchemas: ReadonlyArray<readonly [name: string, schema: TSchema]> = [engine, schemas].flatMap(
  (module) =>
    Object.entries(module)
      .filter((entry): entry is [string, TSchema] => IsSchema(entry[1]))
      .map(([name, schema]) => [publicNames[name] ?? name, schema] as const),
)
