import type { Ctx } from '../core/context.ts'
import { recordDeletion } from '../core/db/configuration.ts'
import type { CategoryRow } from '../core/db/tables.ts'
import type { SimpleCampaign, SimpleVoucher } from '../core/events/shapes.ts'
import { notFound } from '../core/http/errors.ts'
import { operation } from '../core/http/operation.ts'
import type { Assignables } from '../core/reactions.ts'
import { categories } from '../rules/categories/routes.ts'
import { validationRules } from '../rules/validation-rules/routes.ts'
import { deleteAssignmentsOf } from '../rules/validation-rules/unassign.ts'
import { newProject, newTestApp, type Shop, send, type TestService } from './app.ts'
import { atEnd } from './closings.ts'

/*
 * Stand-ins for objects that rules can be assigned to: rows of `categories`, whose name is the code of a voucher or the name
 * of a campaign. They can be locked and deleted like the real ones.
 */

type Row = Pick<CategoryRow, 'id' | 'name' | 'created_at'>

const voucherOf = ({ id, name, created_at }: Row): SimpleVoucher => ({
  id,
  code: name,
  campaign: null,
  campaign_id: null,
  is_referral_code: false,
  category_id: null,
  categories: [],
  active: true,
  created_at,
  redemption: { quantity: null, redeemed_quantity: 0 },
  start_date: null,
  expiration_date: null,
  metadata: {},
  object: 'voucher',
  type: 'DISCOUNT_VOUCHER',
  discount: { type: 'AMOUNT', amount_off: 100 },
})

const campaignOf = ({ id, name, created_at }: Row): SimpleCampaign => ({
  id,
  name,
  campaign_type: 'PROMOTION',
  type: 'STATIC',
  is_referral_code: false,
  auto_join: false,
  join_once: false,
  active: true,
  category_id: null,
  category: null,
  categories: [],
  metadata: {},
  start_date: null,
  expiration_date: null,
  description: null,
  created_at,
  updated_at: null,
  object: 'campaign',
})

const rowsOf = ({ db, project_id }: Ctx) =>
  db.selectFrom('categories').where('project_id', '=', project_id).select(['id', 'name', 'created_at'])

const findRow = (ctx: Ctx, reference: string, { lock }: { lock: 'key share' | 'update' }): Promise<Row | undefined> =>
  rowsOf(ctx)
    .where((eb) => eb.or([eb('id', '=', reference as Row['id']), eb('name', '=', reference)]))
    .$if(lock === 'key share', (query) => query.forKeyShare())
    .$if(lock === 'update', (query) => query.forUpdate())
    .executeTakeFirst()

function assignableAs<Form>(form: (row: Row) => Form) {
  return {
    find: async (ctx: Ctx, reference: string): Promise<Form | undefined> => {
      const row = await findRow(ctx, reference, { lock: 'key share' })
      return row && form(row)
    },
    list: async (ctx: Ctx, ids: string[]): Promise<Form[]> => {
      const rows = await rowsOf(ctx)
        .where('id', 'in', ids as Array<Row['id']>)
        .execute()
      return rows.map(form)
    },
  }
}

const standIns: Partial<Assignables> = {
  voucher: assignableAs(voucherOf),
  campaign: assignableAs(campaignOf),
  reward_assignment: assignableAs(({ id }) => ({ id })),
}

const deleteVoucher = operation({
  id: 'deleteVoucher',
  method: 'DELETE',
  path: '/v1/vouchers/{code}',
  summary: 'Delete a voucher',
  reply: null,
  errors: ['not_found'],
  run: async (ctx, { params }) => {
    const row = await findRow(ctx, params.code, { lock: 'update' })
    if (row === undefined) throw notFound('voucher', params.code)
    await deleteAssignmentsOf(ctx, 'voucher', [row.id])
    await recordDeletion(ctx.db, ctx.project_id, 'voucher', row.id)
    await ctx.db.deleteFrom('categories').where('project_id', '=', ctx.project_id).where('id', '=', row.id).execute()
  },
})

const apps = new Map<TestService, ReturnType<typeof newTestApp>>()

function appOf(service: TestService): ReturnType<typeof newTestApp> {
  const existing = apps.get(service)
  if (existing !== undefined) return existing
  const { runtime } = service
  const assignables = { ...runtime.wiring.assignables, ...standIns }
  const app = newTestApp({ ...runtime, wiring: { ...runtime.wiring, assignables } }, [
    ...validationRules,
    ...categories,
    deleteVoucher,
  ])
  apps.set(service, app)
  atEnd(async () => {
    apps.delete(service)
    await app.close()
  })
  return app
}

/** A shop with vouchers and campaigns that rules can be assigned to. */
export interface AssignableShop extends Shop {
  /** Creates a voucher with this code, which can also stand for a campaign of this name, and returns its id. */
  newVoucher(code: string): Promise<string>
  /** Creates a rule and returns its id. */
  newRule(body?: object): Promise<string>
}

export async function newAssignableShop(): Promise<AssignableShop> {
  const shop = await newProject()
  const app = appOf(shop.service)
  const call: Shop['call'] = (method, path, body, more = {}) =>
    send(app, method, path, body, { ...shop.headers, ...more })
  return {
    ...shop,
    call,
    newVoucher: async (code) => (await call('POST', '/v1/categories', { name: code, hierarchy: 0 })).body.id,
    newRule: async (body = {}) => (await call('POST', '/v1/validation-rules', body)).body.id,
  }
}
