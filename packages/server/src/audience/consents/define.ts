import type { Ctx } from '../../core/context.ts'
import { invalidPayload, notFound } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import type { Consent, ConsentGroup, CreateConsent, CreateConsentGroup, UpdateConsentGroup } from './schema.ts'
import {
  countConsentGroups,
  insertConsent,
  insertConsentGroup,
  listConsents,
  lockProject,
  updateConsentGroup,
} from './store.ts'

export async function createConsent(ctx: Ctx, body: CreateConsent): Promise<Consent> {
  await lockProject(ctx)
  if ((await listConsents(ctx)).length >= limits.consents_max)
    throw invalidPayload(`Project must NOT have more than ${limits.consents_max} consents`)
  return insertConsent(ctx, body)
}

export async function createConsentGroup(ctx: Ctx, body: CreateConsentGroup): Promise<ConsentGroup> {
  await lockProject(ctx)
  if ((await countConsentGroups(ctx)) >= limits.consent_groups_max)
    throw invalidPayload(`Project must NOT have more than ${limits.consent_groups_max} groups of consents`)
  const known = await listConsents(ctx)
  return insertConsentGroup(ctx, { ...body, consents: distinctKnown(body.consents ?? [], known) }, known)
}

export async function changeConsentGroup(ctx: Ctx, id: string, body: UpdateConsentGroup): Promise<ConsentGroup> {
  const { name, description, consents } = body
  const known = await listConsents(ctx)
  const changes = {
    name,
    description,
    consents: consents === undefined ? undefined : JSON.stringify(distinctKnown(consents, known)),
  }
  return updateConsentGroup(ctx, id, changes, known)
}

/** The ids without duplicates; 404 for one that is no consent. */
function distinctKnown(ids: readonly string[], known: readonly Consent[]): string[] {
  const existing = new Set(known.map(({ id }) => id))
  const missing = ids.find((id) => !existing.has(id))
  if (missing !== undefined) throw notFound('consent', missing)
  return [...new Set(ids)]
}
