import type { Ctx } from '../../core/context.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { sourceIdOf } from '../../core/http/tracking-id.ts'
import type { StoredCustomer } from '../customers/customer.ts'
import { isClientSide, refuseUnlessActsFor } from '../customers/on-client-side.ts'
import { findCustomer } from '../customers/store.ts'
import type { ConsentDecisions, CustomerConsent } from './schema.ts'
import { insertDecisions, listConsents, listDecisions, type StoredDecision } from './store.ts'

/**
 * The customer in the path, locked. A page names it by a tracking id, which proves it: a bare id would let anybody decide for
 * anybody (docs/reference/client-side.md#identity). Without proof, an unknown customer is refused like an existing one: pages
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
export async function decideConsents(ctx: Ctx, { id }: StoredCustomer, sent: ConsentDecisions): Promise<void> {
  const consents = await listConsents(ctx)
  const decided = readDecisions(
    sent,
    consents.map((consent) => consent.id),
  )
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
    })),
  )
}

/** What a customer has agreed to, with the decisions that prove it. */
export async function consentsOf(ctx: Ctx, { id }: StoredCustomer): Promise<CustomerConsent[]> {
  const decisions = Map.groupBy(await listDecisions(ctx, id), ({ consent_id }) => consent_id)
  return (await listConsents(ctx)).map((consent) => {
    const ofConsent = decisions.get(consent.id) ?? []
    return {
      id: consent.id,
      name: consent.name,
      given: ofConsent[0]?.is_given ?? false,
      decisions: ofConsent.map(({ is_given, decided_at, channel, app_id, request_id }) => {
        return { given: is_given, decided_at, channel, app_id, request_id }
      }),
      object: 'customer_consent',
    }
  })
}

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
