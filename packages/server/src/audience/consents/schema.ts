import { FreeText, Instant, Name, Nullable, partial } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../../core/lib/limits.ts'
import { listOf } from '../../core/query/list.ts'

/** Something that customers agree to or not, such as a newsletter (docs/reference/consents.md). */
export const Consent = Type.Object({
  id: Type.String(),
  name: Name,
  description: FreeText,
  category: Type.String({ maxLength: 255 }),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('consent'),
})
export type Consent = Static<typeof Consent>

/** Consents that a page shows together. */
export const ConsentGroup = Type.Object({
  id: Type.String(),
  name: Name,
  description: FreeText,
  consents: Type.Array(Type.String(), { description: 'Ids.', maxItems: limits.consents_max }),
  created_at: Instant,
  updated_at: Nullable(Instant),
  object: Type.Literal('consent_group'),
})
export type ConsentGroup = Static<typeof ConsentGroup>

export const ConsentList = listOf('data', Consent, { total: true })
export const ConsentGroupList = listOf('data', ConsentGroup, { total: true })

export const ConsentsAndGroups = Type.Object({ groups: ConsentGroupList, consents: ConsentList })

export const CreateConsent = Type.Object(
  {
    name: Name,
    description: Type.Optional(Consent.properties.description),
    category: Type.Optional(Consent.properties.category),
  },
  { examples: [{ name: 'Newsletter', description: 'Once a month, by e-mail', category: 'MARKETING' }] },
)
export type CreateConsent = Static<typeof CreateConsent>

export const UpdateConsent = partial(CreateConsent.properties)
export type UpdateConsent = Static<typeof UpdateConsent>

export const CreateConsentGroup = Type.Object(
  {
    name: Name,
    description: Type.Optional(ConsentGroup.properties.description),
    consents: Type.Optional(ConsentGroup.properties.consents),
  },
  { examples: [{ name: 'Advertising', consents: [] }] },
)
export type CreateConsentGroup = Static<typeof CreateConsentGroup>

export const UpdateConsentGroup = partial(CreateConsentGroup.properties)
export type UpdateConsentGroup = Static<typeof UpdateConsentGroup>

/** What a customer decides: consent id → yes or no; or `{"unsubscribed": true}`, which says no to all. */
export const ConsentDecisions = Type.Unsafe<Record<string, boolean>>(
  Type.Object(
    { unsubscribed: Type.Optional(Type.Boolean({ description: 'True says no to all consents.' })) },
    { additionalProperties: Type.Boolean(), examples: [{ unsubscribed: true }] },
  ),
)
export type ConsentDecisions = Static<typeof ConsentDecisions>

/** When and how a customer decided. */
const decision = {
  given: Type.Boolean(),
  decided_at: Instant,
  channel: Type.String({ description: '`API`, `CLIENT_API`, or `USER` for a person who was signed in.' }),
  app_id: Nullable(Type.String({ description: 'The key of the application that told us.' })),
  request_id: Type.String(),
  is_proven: Type.Boolean({
    description:
      'False if a page only claimed to act for the customer, which projects with `client_identity` `claimed` accept.',
  }),
  name: Nullable(Type.String({ description: 'The name of the consent when the customer decided.' })),
  description: Nullable(Type.String({ description: 'Its description then.' })),
}

/** What a customer has agreed to. */
export const CustomerConsent = Type.Object({
  id: Consent.properties.id,
  name: Name,
  given: Type.Boolean({ description: 'False also if the customer has never decided.' }),
  decisions: Type.Array(Type.Object(decision), {
    description: `Every change, newest first; the first and the last ${limits.consent_decisions_max - 1} are kept.`,
  }),
  deleted_at: Nullable(Instant),
  object: Type.Literal('customer_consent'),
})
export type CustomerConsent = Static<typeof CustomerConsent>

export const CustomerConsentQuery = Type.Object({
  include_deleted: Type.Optional(
    Type.Boolean({ description: 'True: also deleted consents about which the customer has decided.' }),
  ),
})

export const CustomerConsentList = listOf('data', CustomerConsent, { total: true })
