import { sql } from 'kysely'
import type { Db } from '../../core/db/database.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { Instant } from '../../core/lib/instant.ts'
import { limits } from '../../core/lib/limits.ts'
import type { SigningKeys } from './request-headers.ts'

/** A webhook for which something waits. */
export interface WaitingWebhook extends SigningKeys {
  project_id: string
  webhook_id: string
  target_url: string
  /** Whether more is sent to it than requested attempts. */
  active: boolean
  /** Whether this node holds its lease, and something is due. */
  is_leased: boolean
  /** Whether this statement took or renewed the lease. */
  is_renewed: boolean
  /** What waits for it, or some of it, is given up: it was deleted, or delivery has switched it off. */
  is_closed: boolean
  is_deleted: boolean
  /** Its owner switched it on: some of what waits is still to be made due. */
  is_restarting: boolean
  /** Whether the node named it as fast. */
  is_fast: boolean
}

/** The condition that keeps a statement within one project: a distributed database locks rows of one at a time. */
export type InProject = (column: string) => string

const ofAnyProject: InProject = () => 'true'

/** A statement for any project, and the same for the one that its parameter names. */
export const inEither = <Row>(parameter: string, text: (within: InProject) => string) => ({
  any: preparedStatement<Row>(text(ofAnyProject)),
  one: preparedStatement<Row>(text((column) => `${column} = ${parameter}::text`)),
})

/**
 * The webhooks for which something waits, with the oldest of it. It jumps from webhook to webhook through the index: it costs as much
 * as there are such webhooks, however many send-outs wait. It begins after a webhook, and ends after a number of them.
 */
export const waiting = (after: string, webhooksMax: string, within: InProject = ofAnyProject) => `
  waiting as (
    (select project_id, webhook_id, due_at, 1 as nth from webhook_sendouts
     where ${within('project_id')} and due_at is not null and (project_id, webhook_id) > ${after}
     order by project_id, webhook_id, due_at limit 1)
    union all
    select next.project_id, next.webhook_id, next.due_at, w.nth + 1
    from waiting w cross join lateral (
      select s.project_id, s.webhook_id, s.due_at from webhook_sendouts s
      where ${within('s.project_id')} and s.due_at is not null and (s.project_id, s.webhook_id) > (w.project_id, w.webhook_id)
      order by s.project_id, s.webhook_id, s.due_at limit 1
    ) next
    where w.nth < ${webhooksMax}
  )`

/** Whether this node may take or renew a lease: nobody holds it, or this node does, but not for much longer. */
const isFree = `(h.lease_until is null or h.lease_until < clock_timestamp()
  or (h.lease_node = $2 and h.lease_until < clock_timestamp() + $4::float8 * interval '1 millisecond'))`

/** Whether delivery has switched it off, or something is left of what waited then. */
export const isGivenUp = '((not h.active and h.failed_at is not null) or h.give_up_before is not null)'
/** What is left of that is given up first: it would be sent, being older than what is new. */
export const isServed = '(h.active and h.give_up_before is null)'

/**
 * Walks through some of the webhooks for which something waits, and the fast ones of this node, and takes or renews the leases of some
 * that have something due: those that were leased longest ago first. The lease counts by the clock of the database. Webhooks that a
 * request changes at the moment are left for the next look.
 *
 * `in (select unnest(…))` and not a join: the planner expects one row of each part, and joins them row by row, which takes the
 * square of their number. It hashes such a list.
 */
const take = inEither<WalkRow | (WaitingWebhook & WalkRow)>(
  '$13',
  (within) => `
  with recursive ${waiting('($5::text, $6::text)', '$7::int', within)}, found as (
    select project_id, webhook_id, due_at from waiting
    union
    select fast.project_id, fast.webhook_id, oldest.due_at
    from unnest($8::text[], $9::text[]) as fast (project_id, webhook_id)
    cross join lateral (
      select s.due_at from webhook_sendouts s
      where s.project_id = fast.project_id and ${within('s.project_id')} and s.webhook_id = fast.webhook_id and s.due_at is not null
      order by s.due_at limit 1
    ) oldest
  ), known as materialized (
    select w.project_id, w.webhook_id, h.target_url, h.lease_until, coalesce(${isServed}, false) as active,
      h.id is null as is_deleted, h.id is null or ${isGivenUp} as is_closed,
      coalesce(${isServed} and h.restarted_at is not null, false) as is_restarting,
      coalesce(w.due_at <= $1::timestamptz and (${isServed} or w.due_at = '-infinity'), false) as is_due,
      ${isFree} as is_free, h.lease_node = $2 and h.lease_until > clock_timestamp() as is_ours,
      (w.project_id, w.webhook_id) in (select unnest($8::text[]), unnest($9::text[])) as is_fast,
      p.webhook_token, p.previous_webhook_token, p.webhook_token_replaced_at
    from found w join projects p on p.id = w.project_id and ${within('p.id')} and p.deleted_at is null
    left join webhooks h on h.project_id = w.project_id and ${within('h.project_id')} and h.id = w.webhook_id
  ), chosen as materialized (
    (select project_id, webhook_id from known where is_due and is_free and is_fast
     order by lease_until nulls first limit $10::int)
    union all
    (select project_id, webhook_id from known where is_due and is_free and not is_fast
       and webhook_id not in (select unnest($12::text[]))
     order by lease_until nulls first limit $11::int)
  ), free as materialized (
    select h.project_id, h.id from chosen c join webhooks h on h.project_id = c.project_id and ${within('h.project_id')} and h.id = c.webhook_id
    where ${isFree}
    order by h.project_id, h.id for no key update of h skip locked
  ), taken as (
    update webhooks h set lease_node = $2, lease_until = clock_timestamp() + $3::float8 * interval '1 millisecond'
    from free where h.project_id = free.project_id and ${within('h.project_id')} and h.id = free.id
    returning h.project_id, h.id
  )
  select walked.project_id as walked_project_id, walked.webhook_id as walked_webhook_id,
    k.project_id, k.webhook_id, k.target_url, k.active, k.is_closed, k.is_deleted, k.is_restarting, k.is_fast,
    k.webhook_token, k.previous_webhook_token, k.webhook_token_replaced_at,
    k.is_renewed, coalesce(k.is_due and (k.is_renewed or k.is_ours), false) as is_leased
  from (select) one
  left join (select project_id, webhook_id from waiting where nth = $7::int) walked on true
  left join (
    select *, (project_id, webhook_id) in (select project_id, id from taken) as is_renewed from known
  ) k on k.is_due or k.is_closed or k.is_restarting`,
)

/** Every row says where the walk was cut off; without a webhook if it found none. */
interface WalkRow {
  walked_project_id: string | null
  walked_webhook_id: string | null
  project_id: string | null
}

/** The key of a webhook. */
export type WebhookKey = Pick<WaitingWebhook, 'project_id' | 'webhook_id'>

/** What a node asks for. */
export interface LeaseRequest {
  now: Instant
  node: string
  lease_ms: number
  renew_below_ms: number
  /** Where the last walk was cut off. */
  after: WebhookKey
  /** Webhooks that answer fast: they are looked at in any case. */
  fast: readonly WebhookKey[]
  /** Leases to take or renew, of fast webhooks and of others. */
  fast_max: number
  slow_max: number
  /** Webhooks of which no lease is taken. */
  except: readonly string[]
}

/** Returns the webhooks, and where the walk was cut off; null if it reached the end. */
export async function takeWebhooks(
  db: Db,
  lease: LeaseRequest,
): Promise<{ webhooks: WaitingWebhook[]; walked: WebhookKey | null }> {
  const rows = await take.any(db, parametersOf(lease))
  const { walked_project_id: projectId = null, walked_webhook_id: webhookId = null } = rows[0] ?? {}
  return {
    webhooks: rows.filter(isWebhook),
    walked: projectId === null || webhookId === null ? null : { project_id: projectId, webhook_id: webhookId },
  }
}

/** The same on a distributed database. Projects have few webhooks, so that a statement walks through all of one project. */
export async function takeWebhooksOfEachProject(
  db: Db,
  lease: LeaseRequest,
): Promise<{ webhooks: WaitingWebhook[]; walked: null }> {
  const { rows: projects } = await sql<{ project_id: string }>`
    select distinct project_id from webhook_sendouts where due_at is not null`.execute(db)
  const webhooks: WaitingWebhook[] = []
  for (const { project_id } of projects) {
    const renewed = webhooks.filter(({ is_renewed }) => is_renewed)
    const fast = renewed.filter(({ is_fast }) => is_fast).length
    const ofProject = {
      ...lease,
      after: { project_id: '', webhook_id: '' },
      fast: lease.fast.filter((webhook) => webhook.project_id === project_id),
      fast_max: lease.fast_max - fast,
      slow_max: lease.slow_max - (renewed.length - fast),
    }
    webhooks.push(...(await take.one(db, [...parametersOf(ofProject), project_id])).filter(isWebhook))
  }
  return { webhooks, walked: null }
}

const isWebhook = (row: WalkRow | (WaitingWebhook & WalkRow)): row is WaitingWebhook & WalkRow =>
  row.project_id !== null

const parametersOf = (lease: LeaseRequest): unknown[] => [
  lease.now,
  lease.node,
  lease.lease_ms,
  lease.renew_below_ms,
  lease.after.project_id,
  lease.after.webhook_id,
  limits.webhooks_looked_at_once,
  lease.fast.map(({ project_id }) => project_id),
  lease.fast.map(({ webhook_id }) => webhook_id),
  lease.fast_max,
  lease.slow_max,
  lease.except,
]

/** Ends the leases of this node, so that others need not wait for their end. */
export async function releaseWebhooks(db: Db, node: string, webhookIds: readonly string[]): Promise<void> {
  await sql`
    update webhooks set lease_node = null, lease_until = null
    where id = any(${webhookIds}::text[]) and lease_node = ${node}`.execute(db)
}
