import { sql } from 'kysely'
import { describe, expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { newVoucher } from '../../testing/campaigns.ts'
import { statementsSentBy } from '../../testing/sent-statements.ts'
import { newWebhook } from '../../testing/webhooks.ts'
import { switchOff } from './record-attempts.ts'
import { giveUpWaiting, restartWaiting } from './waiting.ts'

// No service in this file delivers: its statements would be among those of a request.

// biome-ignore lint/suspicious/noExplicitAny: an answer in a test is whatever the test expects of it
type Body = any

describe('what waits for a webhook', () => {
  const later = '2100-01-01T00:00:00.000Z'

  /** A shop without delivery, with one send-out that waits for its webhook, and more that wait for a retry. */
  async function waiting(retries: number) {
    const shop = await newProject({ env: { WEBHOOK_ALLOW_PRIVATE_TARGETS: 'true' } })
    const { db } = shop.service.runtime.database
    const { id } = await newWebhook(shop, 'http://127.0.0.1:9/', ['voucher.created'])
    await newVoucher(shop, 'A')
    await sql`
      insert into webhook_sendouts (project_id, id, webhook_id, event_id, type, source_url, status, request_id, created_at,
        first_attempt_at, next_attempt_at, due_at)
      select s.project_id, 'whs_' || lpad(to_hex(n), 18, '0'), s.webhook_id, s.event_id, s.type, s.source_url, 'RETRYING', s.request_id,
        s.created_at, s.created_at, ${later}, ${later}
      from webhook_sendouts s cross join generate_series(1, ${retries}) n where s.project_id = ${shop.project_id}`.execute(
      db,
    )
    const key = { project_id: shop.project_id, webhook_id: id as string, is_deleted: false }
    const counts = async () => {
      const { rows } = await sql<Body>`
        select status, reason, next_attempt_at is not null as waits, coalesce(due_at > now(), false) as is_later, count(*)::int
        from webhook_sendouts where project_id = ${shop.project_id} group by 1, 2, 3, 4 order by 5`.execute(db)
      return rows
    }
    const update = async (body: object) => expect((await shop.manage('PUT', `/webhooks/${id}`, body)).status).toBe(200)
    return { shop, db, key, counts, update }
  }

  test('is not given up because of what a node knew a moment ago', async () => {
    const { db, key, counts } = await waiting(2)
    const before = await counts()
    for (const isDeleted of [true, false]) await giveUpWaiting(db, { ...key, is_deleted: isDeleted })
    expect(await counts()).toEqual(before)
  })

  test('is made due in batches when its owner switches the webhook on, not by the request', async () => {
    const { db, key, counts, update } = await waiting(2_500)
    await update({ active: false })
    const { sent } = await statementsSentBy(() => update({ active: true }))
    expect(sent.filter((text) => /webhook_sendouts/.test(text))).toEqual([])
    const batches: boolean[] = []
    do batches.push(await restartWaiting(db, key))
    while (batches.at(-1))
    expect(batches).toEqual([true, true, true, false])
    expect(await counts()).toEqual([
      { status: 'PENDING', reason: null, waits: true, is_later: false, count: 1 },
      { status: 'RETRYING', reason: null, waits: true, is_later: false, count: 2_500 },
    ])
    expect(
      await db.selectFrom('webhooks').select('restarted_at').where('project_id', '=', key.project_id).execute(),
    ).toEqual([{ restarted_at: null }])
  })

  test('is given up in batches when delivery has switched the webhook off, also after it was switched on; not what is new', async () => {
    const { db, key, counts, update, shop } = await waiting(2_500)
    await switchOff(db, key, '2026-01-01T00:00:00.000Z')
    await giveUpWaiting(db, key)
    const { sent } = await statementsSentBy(() => update({ active: true }))
    expect(sent.filter((text) => /webhook_sendouts/.test(text))).toEqual([])
    await newVoucher(shop, 'NEW')
    while (await giveUpWaiting(db, key));
    expect(await counts()).toEqual([
      { status: 'PENDING', reason: null, waits: true, is_later: false, count: 1 },
      { status: 'FAILED', reason: 'webhook disabled', waits: false, is_later: false, count: 2_501 },
    ])
    // Switched off and on by its owner meanwhile: only that which is new begins anew.
    await update({ active: false })
    await update({ active: true })
    while (await restartWaiting(db, key));
    expect(await counts()).toMatchObject([{ status: 'PENDING' }, { status: 'FAILED', count: 2_501 }])
  })
})
