import * as engine from '@guerdon/engine/schema'
import { IsSchema, type TSchema } from 'typebox'
import { clientReply } from './audience/customers/client-view.ts'
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
  Timeframe: 'ValidityTimeframe',
  TimeframeBody: 'ValidityTimeframeBody',
  TokenForm: 'OauthTokenForm',
}

type NamedSchema = readonly [name: string, schema: TSchema]

const exported = [engine, schemas].flatMap((module) =>
  Object.entries(module)
    .filter((entry): entry is [string, TSchema] => IsSchema(entry[1]))
    .map(([name, schema]): NamedSchema => [publicNames[name] ?? name, schema]),
)

const exportedNames = new Set(exported.map(([name]) => name))

/** What the client side may see of a schema: `ClientVoucher` of `Voucher`, where that is less. */
const reducedForClients = exported.flatMap(([name, schema]): NamedSchema[] => {
  const reduced = clientReply(schema)
  return reduced === schema || exportedNames.has(`Client${name}`) ? [] : [[`Client${name}`, reduced]]
})

/**
 * The schemas by their name in the OpenAPI document: the name of the exported constant, unless it is in `publicNames`. Of two names for
 * one schema the last is taken: an exported one.
 */
export const namedSchemas: readonly NamedSchema[] = [...reducedForClients, ...exported]
