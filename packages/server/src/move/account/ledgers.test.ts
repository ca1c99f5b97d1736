import { expect, test } from 'vitest'
import type { Project } from '../../core/db/project-row.ts'
import { folderWith } from '../../testing/account-server.ts'
import { newProject, type Shop } from '../../testing/app.ts'
import { auditLedger } from '../../testing/ledger-audit.ts'
import type { AccountFolder } from './folder.ts'
import type { ImportReport } from './report.ts'
import { writeAccount } from './write.ts'

/* The ledgers of cards of a made-up account. */

const at = '2025-03-01T10:00:00.000Z'
const program = {
  id: 'camp_program',
  name: 'Program',
  campaign_type: 'LOYALTY_PROGRAM',
  type: 'STATIC',
  voucher: { type: 'LOYALTY_CARD', loyalty_card: { points: 1 }, redemption: {} },
  created_at: at,
}
const anna = { id: 'cust_anna', source_id: 'anna', created_at: at }
const card = (points: number, more: object = {}) => ({
  id: 'v_CARDaaaa',
  code: 'CARD',
  type: 'LOYALTY_CARD',
  campaign_id: program.id,
  holder_id: anna.id,
  loyalty_card: { points, balance: points },
  redemption: {},
  created_at: at,
  ...more,
})
const lot = (id: string, points: number, day: string) => ({
  id: `lopb_${id}`,
  voucher_id: 'v_CARDaaaa',
  status: 'ACTIVE',
  points: String(points),
  expires_at: day,
})

async function newTarget(folder: AccountFolder) {
  const shop = await newProject()
  const { runtime } = shop.service
  const project = (await runtime.credentials.project(shop.project_id)) as Project
  const write = (signal?: AbortSignal, onProgress: (list: string) => void = () => {}) =>
    writeAccount({ runtime, project, folder, signal, onProgress })
  return { shop, write }
}

const reasons = (report: ImportReport, kind: string, of: 'left_out' | 'changed' = 'left_out') =>
  Object.fromEntries(Object.entries(report[kind]?.[of] ?? {}).map(([reason, { count }]) => [reason, count]))

/** Without what is about earlier transactions: they are shown as they were, and their postings are part of the opening of the card. */
async function audit({ service: { runtime }, project_id }: Shop): Promise<string[]> {
  const found = await auditLedger(
    async (text, values) => (await runtime.database.execute(text, values)).rows,
    project_id,
  )
  return found.filter((line) => !/^(vtx_|transactions that differ|postings beyond the initial)/.test(line))
}

const lotsOf = async ({ service, project_id }: Shop) =>
  (
    await service.runtime.database.execute(
      `select points, expires_at::text as day, expired_points from lots where project_id = $1 order by expires_at nulls last`,
      [project_id],
    )
  ).rows

test('points of one day become one lot, whichever batches they are in, also if a batch is repeated after a crash', async () => {
  const days = ['2030-01-01', '2030-02-01', '2030-03-01']
  const expirations = Array.from({ length: 2_400 }, (_, n) => lot(`${n}`.padStart(6, '0'), 1, days[n % 3] as string))
  const folder = await folderWith({
    campaigns: [program],
    customers: [{ ...anna, loyalty: { points: 3_000, campaigns: { Program: { points: 3_000 } } } }],
    vouchers: [card(3_000)],
    'points-expirations': expirations,
  })
  const { shop, write } = await newTarget(folder)
  const stop = new AbortController()
  let batches = 0
  const crash = write(stop.signal, (list) => {
    if (list === 'points-expirations' && ++batches === 2) stop.abort(new Error('crashed'))
  })
  await expect(crash).rejects.toThrow('crashed')
  const state = (await folder.readState<{ lists: Record<string, number> }>('write')) as {
    lists: Record<string, number>
  }
  await folder.saveState('write', { ...state, lists: { ...state.lists, 'points-expirations': 0 } })

  const report = await write()
  expect(reasons(report, 'points-expirations')).toEqual({})
  // 2,400 points on three days, and the rest of 3,000 for ever.
  const expected = [
    ...days.map((day) => ({ points: 800, day, expired_points: null })),
    { points: 600, day: null, expired_points: null },
  ]
  expect(await lotsOf(shop)).toEqual(expected)
  expect(await audit(shop)).toEqual([])

  await folder.saveState('write', { ...state, lists: {} })
  await write()
  expect(await lotsOf(shop)).toEqual(expected)
  expect(await audit(shop)).toEqual([])
})
