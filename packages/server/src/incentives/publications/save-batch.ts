import type { StoredCustomer } from '../../audience/customers/customer.ts'
import type { Ctx } from '../../core/context.ts'
import type { Db } from '../../core/db/database.ts'
import { joinJsonTexts } from '../../core/db/join-json-texts.ts'
import { JsonParameter } from '../../core/db/json-parameter.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { Tally } from '../../core/db/tallies.ts'
import { eventRows, type NewEvent } from '../../core/events/emit.ts'
import { shareParts } from '../../core/events/parts.ts'
import { newId } from '../../core/lib/ids.ts'
import type { StoredVoucher } from '../vouchers/voucher.ts'
import type { Publication } from './schema.ts'
import { roleOf, type StoredPublication } from './store.ts'

/** A publication that is to be saved. */
export interface Draft {
  ctx: Ctx
  row: StoredPublication
  customer: StoredCustomer
  is_new_customer: boolean
  voucher: StoredVoucher
  events: NewEvent[]
  reply: Publication
}

/** The parameter of `publication_write`. Each key is read there: `functions/functions.test.ts` compares them. */
export interface SaveParameter {
  publications: object[]
  tallies: object[]
  events: object[]
  /** For each part of the function's second parameter, the ids of the events that share it. */
  told: string[][]
}

const save = preparedStatement<{ has_segments: boolean }>('select publication_write($1, $2::jsonb, $3) as has_segments')

/** Saves the publications of a batch in one round trip. Returns whether the project has dynamic segments. */
export async function saveBatch(
  db: Db,
  projectId: string,
  drafts: readonly Draft[],
  tallies: ReadonlyMap<Tally, number>,
): Promise<boolean> {
  const eventParts = drafts.map(({ ctx, events }) => shareParts(eventRows(ctx, events)))
  const parameter: SaveParameter = {
    publications: drafts.map(publicationOf),
    tallies: [...tallies].map(([name, delta]) => ({ name, delta, id: newId('background_run') })),
    // As text: `jsonb` would sort the properties, which webhooks and lists show in this order.
    events: eventParts.flatMap(({ rows }) => rows.map((row) => ({ ...row, data: JSON.stringify(row.data) }))),
    told: eventParts.map(({ rows }) => rows.map(({ id }) => id)),
  }
  const [row] = await save(db, [
    projectId,
    new JsonParameter(parameter),
    joinJsonTexts(eventParts.map(({ parts }) => parts)),
  ])
  return row?.has_segments === true
}

const publicationOf = ({ row, voucher }: Draft): object => ({
  id: row.id,
  customer_id: row.customer_id,
  campaign_id: row.campaign_id,
  voucher_id: voucher.id,
  voucher_code: row.voucher_code,
  voucher_type: row.voucher_type,
  is_referral_code: row.is_referral_code,
  referrer_id: voucher.referrer_id,
  expiration_date: voucher.expiration_date,
  holder_id: newId('holder'),
  role: roleOf(voucher),
  source_id: row.source_id,
  channel: row.channel,
  metadata: row.metadata,
  created_at: row.created_at,
})
