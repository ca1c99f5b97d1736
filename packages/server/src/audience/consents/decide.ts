import type { Ctx } from '../../core/context.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { sourceIdOf } from '../../core/http/tracking-id.ts'
import type { StoredCustomer } from '../customers/customer.ts'
import { isClientSide, isProven, refuseUnlessActsFor } from '../customers/on-client-side.ts'
import { findCustomer } from '../customers/store.ts'
import type { ConsentDecisions, CustomerConsent } from './schema.ts'
import {
  insertDecisions,
  listDecisions,
  listStoredConsents,
  listTexts,
  type StoredConsent,
  type StoredDecision,
} from './store.ts'

/**
 * The customer in the path, locked. A page names it by a tracking id, which proves it: with a bare id, which only projects that take
 * claims accept, anybody could decide for anybody (docs/reference/client-side.md#identity). Without proof, an unknown customer is refused like an existing one: pages
 * could otherwise ask whether an e-mail address is known.
 */
export async function getDecidingCustomer(ctx: Ctx, sent: string): Promise<StoredCustomer> {
  const name = isClientSide(ctx) ? sourceIdOf(ctx.project, sent) : sent
  const customer = await findCustomer(ctx, name, { lock: true })
  refuseUnlessActsFor(ctx, customer ?? { source_id: name })
  if (customer === undefined) throw notFound('customer', sent)
  return customer
}

/**
 * Stores what a customer decided (docs/reference/consents.md#decisions-of-a-customer). Consents that are not named keep their
 * state: the caller has locked the customer, so concurrent requests merge by consent. A repeated decision changes nothing.
 */
export async function decideConsents(ctx: Ctx, customer: StoredCustomer, sent: ConsentDecisions): Promise<void> {
  const { id } = customer
  const consents = new Map((await listStoredConsents(ctx)).map((consent) => [consent.id as string, consent]))
  const decided = readDecisions(sent, [...consents.keys()])
  const latest = latestOf(await listDecisions(ctx, id))
  const changed = [...decided].filter(([consentId, isGiven]) => latest.get(consentId)?.is_given !== isGiven)
  await insertDecisions(
    ctx,
    changed.map(([consentId, isGiven]) => ({
      project_id: ctx.project_id,
      customer_id: id,
      consent_id: consentId,
      number: (latest.get(consentId)?.number ?? 0) + 1,
      is_given: isGiven,
      decided_at: ctx.now,
      channel: ctx.caller.channel,
      app_id: ctx.caller.api_key?.app_id ?? null,
      request_id: ctx.request_id,
      is_proven: isProven(ctx, customer),
      text_number: consents.get(consentId)?.text_number ?? null,
    })),
  )
}

/**
 * What a customer has agreed to, with the decisions that prove it; with `include_deleted` also of deleted consents about which it has
 * decided.
 */
export async function consentsOf(
  ctx: Ctx,
  { id }: StoredCustomer,
  { include_deleted = false }: { include_deleted?: boolean },
): Promise<CustomerConsent[]> {
  const decisions = Map.groupBy(await listDecisions(ctx, id), ({ consent_id }) => consent_id)
  const texts = new Map((await listTexts(ctx, id)).map((text) => [textKey(text.consent_id, text.number), text]))
  const consents = await listStoredConsents(ctx, { also: include_deleted ? [...decisions.keys()] : [] })
  return consents.map((consent) => toCustomerConsent(consent, decisions.get(consent.id) ?? []))

  function toCustomerConsent(consent: StoredConsent, ofConsent: readonly StoredDecision[]): CustomerConsent {
    return {
      id: consent.id,
      name: consent.name,
      given: ofConsent[0]?.is_given ?? false,
      decisions: ofConsent.map(({ is_given, decided_at, channel, app_id, request_id, is_proven, text_number }) => {
        const { name = null, description = null } = texts.get(textKey(consent.id, text_number)) ?? {}
        return { given: is_given, decided_at, channel, app_id, request_id, is_proven, name, description }
      }),
      deleted_at: consent.deleted_at,
      object: 'customer_consent',
    }
  }
}

const textKey = (consentId: string, number: number | null): string => `${consentId} ${number}`

/** The decision for each consent. `unsubscribed` says no to all, whatever else is sent. */
function readDecisions(sent: ConsentDecisions, known: readonly string[]): Map<string, boolean> {
  const { unsubscribed, ...decisions } = sent
  if (Object.keys(sent).length === 0) throw invalidPayload('The payload cannot be empty')
  if (unsubscribed === false) throw invalidPayload('Property .unsubscribed must be true')
  if (unsubscribed === true) return new Map(known.map((id) => [id, false]))
  const existing = new Set(known)
  const unknown = Object.keys(decisions).find((id) => !existing.has(id))
  if (unknown !== undefined) throw notFound('consent', unknown)
  return new Map(Object.entries(decisions))
}

/** The newest decision about each consent; the rows have the newest first. */
function latestOf(decisions: readonly StoredDecision[]): Map<string, StoredDecision> {
  const latest = new Map<string, StoredDecision>()
  for (const decision of decisions) if (!latest.has(decision.consent_id)) latest.set(decision.consent_id, decision)
  return latest
}
