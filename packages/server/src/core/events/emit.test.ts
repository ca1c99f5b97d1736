import { expect, test } from 'vitest'
import { testDatabase } from '../../testing/database.ts'
import type { Caller, Ctx } from '../context.ts'
import { inTransaction } from '../db/transaction.ts'
import { newId } from '../lib/ids.ts'
import { emit, emitMany, eventRows, eventSource, type NewEvent } from './emit.ts'

const shopKey = { id: 'key_1', name: 'Shop "backend"', app_id: 'app-1' }
const overApi: Caller = { channel: 'API', api_key: shopKey, role: 'ADMIN' }

/** The part of a request context that events use, in a new project. */
async function newCtx(given: Partial<Ctx> = {}): Promise<Ctx> {
  const { db } = await testDatabase()
  const now = '2026-03-01T12:00:00.500Z'
  const common = { db, project_id: newId('project'), now, request_id: newId('request'), caller: overApi }
  return { ...common, afterCommit() {}, ...given } as Ctx
}

const storedEvents = ({ db, project_id }: Ctx) =>
  db.selectFrom('events').selectAll().where('project_id', '=', project_id).orderBy('id').execute()

/** Without the prefix, ids of different kinds sort by creation. */
const withoutPrefix = (id: string) => id.slice(id.indexOf('_') + 1)

const enabled = (code: string): NewEvent => ({
  type: 'voucher.enabled',
  entity_id: `v_${code}`,
  data: { voucher: { code }, campaign: null },
})

test('an event is stored with its source, and its short form is returned', async () => {
  const ctx = await newCtx()
  const customer = {
    name: 'Ä "1" \\',
    points: 9007199254740991,
    share: 0.1,
    metadata: { tags: ['a', null, {}] },
    email: null,
  }
  const segment = { id: 'seg_1', name: 'Everyone', object: 'segment' } as const
  const event = await emit(ctx, 'customer.segment.entered', 'cust_1', { customer, segment })
  const [stored, ...others] = await storedEvents(ctx)
  expect(others).toEqual([])
  expect(stored).toEqual({
    project_id: ctx.project_id,
    id: expect.stringMatching(/^evcus_[0-9a-f]{18}$/),
    type: 'customer.segment.entered',
    category: 'EFFECT',
    entity_id: 'cust_1',
    created_at: '2026-03-01T12:00:00.500Z',
    group_id: ctx.request_id,
    event_source: { channel: 'API', api_key: { name: 'Shop "backend"', app_id: 'app-1' } },
    campaign_id: null,
    voucher_id: null,
    data: { customer, segment },
  })
  const { project_id, event_source, campaign_id, voucher_id, data, ...short } = stored as NonNullable<typeof stored>
  expect(event).toEqual(short)
})

test('category and prefix come from the type', async () => {
  const ctx = await newCtx()
  const rule = await emit(ctx, 'business_validation_rule.deleted', 'val_1', { rule: {}, deleted_at: ctx.now })
  expect(rule).toMatchObject({ id: expect.stringMatching(/^evval_/), category: 'ACTION' })
  const segment = await emit(ctx, 'segment.created', 'seg_1', { id: 'seg_1', name: 'Everyone' })
  expect(segment).toMatchObject({ id: expect.stringMatching(/^evseg_/), category: 'EFFECT' })
  expect(await storedEvents(ctx)).toHaveLength(2)
})

test('the source is the key of the call, only the channel for background work, and never the management API', () => {
  const key = { name: 'Shop "backend"', app_id: 'app-1' }
  expect(eventSource(overApi)).toEqual({ channel: 'API', api_key: key })
  expect(eventSource({ ...overApi, channel: 'CLIENT_API' })).toEqual({ channel: 'CLIENT_API', api_key: key })
  expect(eventSource({ channel: 'INTERNAL', api_key: null, role: 'ADMIN' })).toEqual({ channel: 'INTERNAL' })
  expect(() => eventSource({ ...overApi, channel: 'MANAGEMENT' })).toThrow('the management API emits no events')
  expect(() => eventSource({ ...overApi, api_key: null })).toThrow('a call over API has a key')
})

test('a management call that tries to emit an event leaves nothing behind', async () => {
  const ctx = await newCtx({ caller: { ...overApi, channel: 'MANAGEMENT' } })
  await expect(emit(ctx, 'customer.created', 'cust_1', { customer: {} })).rejects.toThrow(
    'the management API emits no events',
  )
  expect(await storedEvents(ctx)).toEqual([])
})

test('a rolled back event is not stored', async () => {
  const ctx = await newCtx()
  const failing = inTransaction(ctx.db, async (db) => {
    const inside = { ...ctx, db }
    await emit(inside, 'customer.created', 'cust_1', { customer: {} })
    await emitMany(inside, [enabled('A'), enabled('B')])
    expect(await storedEvents(inside)).toHaveLength(3)
    throw new Error('the request failed')
  })
  await expect(failing).rejects.toThrow('the request failed')
  expect(await storedEvents(ctx)).toEqual([])
  await inTransaction(ctx.db, (db) => emit({ ...ctx, db }, 'customer.created', 'cust_1', { customer: {} }))
  expect(await storedEvents(ctx)).toHaveLength(1)
})

test('event ids of one request are in the order of the calls, across all kinds and in the database too', async () => {
  const ctx = await newCtx()
  const told: string[] = []
  await inTransaction(ctx.db, async (db) => {
    const inside = { ...ctx, db }
    for (let turn = 0; turn < 20; turn += 1) {
      told.push((await emit(inside, 'voucher.enabled', 'v_1', { voucher: { turn }, campaign: null })).id)
      told.push((await emit(inside, 'customer.created', 'cust_1', { customer: { turn } })).id)
      told.push(...(await emitMany(inside, [enabled('A'), enabled('B'), enabled('C')])).map(({ id }) => id))
    }
  })
  expect(told.map(withoutPrefix)).toEqual(told.map(withoutPrefix).toSorted())
  expect(new Set(told).size).toBe(100)
  const stored = (await storedEvents(ctx)).map(({ id }) => id)
  expect(stored.filter((id) => id.startsWith('evvou_'))).toEqual(told.filter((id) => id.startsWith('evvou_')))
})

test('a batch of any size is one statement, in the order given', async () => {
  const ctx = await newCtx()
  const events = Array.from({ length: 8_000 }, (_, index) => enabled(String(index))) // would be 72,000 parameters: too many
  const told = await emitMany(ctx, events)
  const stored = await storedEvents(ctx)
  expect(stored.map(({ entity_id }) => entity_id)).toEqual(events.map(({ entity_id }) => entity_id))
  expect(stored.map(({ id }) => id)).toEqual(told.map(({ id }) => id))
  expect(stored.at(-1)?.data).toEqual({ voucher: { code: '7999' }, campaign: null })
})

test('a batch may mix types, and an empty batch makes no query', async () => {
  const ctx = await newCtx()
  const told = await emitMany(ctx, [
    enabled('A'),
    { type: 'customer.updated', entity_id: 'cust_1', data: { customer: {} } },
  ])
  expect(told.map(({ type, entity_id }) => [type, entity_id])).toEqual([
    ['voucher.enabled', 'v_A'],
    ['customer.updated', 'cust_1'],
  ])
  expect(await emitMany({ ...ctx, db: null as never }, [])).toEqual([])
})

test('eventRows returns the rows that emitMany would write', async () => {
  const ctx = await newCtx()
  const [row] = eventRows(ctx, [enabled('A')])
  await emitMany(ctx, [enabled('A')])
  expect(await storedEvents(ctx)).toEqual([{ ...row, id: expect.stringMatching(/^evvou_/) }])
})
