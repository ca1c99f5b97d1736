import { readdirSync, readFileSync } from 'node:fs'
import { gunzipSync } from 'node:zlib'
import { beforeAll, describe, expect, test } from 'vitest'
import { send } from '../../testing/app.ts'
import { definitionsIn, definitionsOfFiles } from '../../testing/functions.ts'
import { openNode, ownDatabase } from '../../testing/nodes.ts'
import type { Database } from './database.ts'
import { migrate } from './migrate.ts'

/** Dumps of databases of past releases, and the recorded responses of those releases (scripts/record-release.mjs). */
const folder = new URL('../../testing/releases/', import.meta.url)
const unpacked = (file: string) => gunzipSync(readFileSync(new URL(file, folder))).toString()
const releases = readdirSync(folder)
  .filter((file) => file.endsWith('.sql.gz'))
  .map((file) => file.slice(0, -'.sql.gz'.length))

interface Recording {
  base_url: string
  recorded_at: string
  app: [id: string, token: string]
  answers: Array<{ path: string; body: unknown }>
}

/**
 * A response without the members that 0.2.0 shows only where they say something: empty metadata, missing parts of an address,
 * initial values that did not change; and without `has_more` and `initial_sync_status`, which it added.
 */
function comparable(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(comparable)
  if (typeof value !== 'object' || value === null) return value
  const { amount, quantity, ...members } = value as Record<string, unknown>
  const isSilent = (name: string, member: unknown) =>
    ['has_more', 'initial_sync_status'].includes(name) ||
    (name === 'metadata' && Object.keys(member ?? {}).length === 0) ||
    (name === 'initial_amount' && member === amount) ||
    (name === 'initial_quantity' && member === quantity)
  const shown = Object.entries(members)
    .filter(([name, member]) => !isSilent(name, member))
    .map(([name, member]) => [name, name === 'address' ? partsOf(member) : comparable(member)])
  return { amount, quantity, ...Object.fromEntries(shown) }
}

const partsOf = (address: unknown): unknown =>
  address === null ? null : Object.fromEntries(Object.entries(address as object).filter(([, part]) => part !== null))

describe.each(releases)('a database of %s', (release) => {
  let database: Database

  beforeAll(async () => {
    database = (await ownDatabase({ migrated: false })).database
    const settings = 'reset search_path; reset check_function_bodies; reset row_security;'
    await database.execute(`${unpacked(`${release}.sql.gz`)}\n${settings}`)
  })

  test('gets the functions of this release', async () => {
    const { functions } = await migrate(database.db, async () => {})
    expect(functions).toContain('checkout_save')
    expect(await definitionsIn(database)).toEqual(await definitionsOfFiles(database))
    expect(await migrate(database.db, async () => {})).toMatchObject({ applied: [], functions: [] })
  })

  test('is served as before, and a code can be redeemed', async () => {
    const { base_url, recorded_at, app, answers } = JSON.parse(unpacked(`${release}.json.gz`)) as Recording
    const node = await openNode(database, {
      env: { AUTH_MODE: 'either', BASE_URL: base_url },
      now: () => Date.parse(recorded_at),
    })
    const pair = { 'x-app-id': app[0], 'x-app-token': app[1] }
    expect(answers.length).toBeGreaterThan(40)
    for (const { path, body } of answers) {
      const answer = await send(node.app, 'GET', path, undefined, pair)
      expect({ path, status: answer.status, body: comparable(answer.body) }).toEqual({
        path,
        status: 200,
        body: comparable(body),
      })
    }
    const cart = { redeemables: [{ object: 'voucher', id: 'SPRING' }], order: { amount: 3_000 } }
    expect(await send(node.app, 'POST', '/v1/redemptions', cart, pair)).toMatchObject({
      status: 200,
      body: { order: { total_discount_amount: 375 } }, // 12.5 % of 30.00
    })
  })
})
