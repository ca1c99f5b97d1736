import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { firstIdAt, type IdKind, idPrefix, momentOf, newId, randomText } from './ids.ts'

/** 2026-01-01T00:00:00.000Z. */
const at = 1_767_225_600_000

/** The table "Id prefixes" of the reference. */
const forms: Array<[rest: RegExp, kinds: Partial<Record<IdKind, string>>]> = [
  [/^[0-9A-Za-z]{32}$/, { voucher: 'v_', publication: 'pub_', user: 'user_' }],
  [
    /^[0-9A-Za-z]{24}$/,
    {
      campaign: 'camp_', promotion_tier: 'promo_', promotion_stack: 'stack_', export: 'exp_', customer: 'cust_', segment: 'seg_',
      products_collection: 'pc_', order: 'ord_', location: 'loc_', metadata_schema: 'ms_', webhook: 'wh_', permanent_deletion: 'del_',
    },
  ],
  [/^[0-9A-Za-z]{16}$/, { rule_assignment: 'asgm_' }],
  [/^[0-9A-Za-z]{12}$/, { validation_rule: 'val_' }],
  [/^[0-9A-Za-z]{8}$/, { project: 'proj_' }],
  [
    /^[0-9a-f]{18}$/,
    {
      category: 'cat_', campaign_template: 'camp_tpl_', transaction: 'vtx_', async_action: 'aa_', bin_entry: 'tbe_', holder: 'rh_',
      pending_points: 'lopp_', customer_event: 'evcus_', voucher_event: 'evvou_', redemption_event: 'evred_', campaign_event: 'evcam_',
      publication_event: 'evpub_', validation_rule_event: 'evval_', segment_event: 'evseg_', products_collection_event: 'evpc_',
      distribution_event: 'evdis_', request: 'v-', background_run: 'w-', product: 'prod_', sku: 'sku_', custom_event: 'event_',
      stacking_rules: 'stk_', branding: 'brd_', sendout: 'whs_', audit_entry: 'log_',
    },
  ],
  [
    /^[0-9A-Za-z]+$/,
    {
      redemption: 'r_', failed_redemption: 'rf_', rollback: 'rr_', failed_rollback: 'rrf_', order_line: 'ordli_', validation: 'valid_',
      session: 'ssn_', tracking: 'track_', earning_rule: 'ern_', automation: 'auto_', loyalty_tier: 'ltr_', points_bucket: 'lopb_',
      reward: 'rew_', reward_assignment: 'rewa_', reward_redemption: 'rewr_', referral_tier: 'reft_', consent: 'cnst_',
      consent_group: 'cnstgr_', notification: 'ntf_', api_key: 'key_',
    },
  ],
] // biome-ignore format: the table of the reference

describe('an id has the documented format of its kind', () => {
  const cases = forms.flatMap(([rest, kinds]) =>
    Object.entries(kinds).map(([kind, prefix]) => [kind as IdKind, prefix, rest] as const),
  )

  test.each(cases)('%s: %s and %s', (kind, prefix, rest) => {
    expect(idPrefix(kind)).toBe(prefix)
    for (let round = 0; round < 50; round += 1) {
      const id = newId(kind)
      expect(id.startsWith(prefix)).toBe(true)
      expect(id.slice(prefix.length)).toMatch(rest)
    }
  })

  test('no two kinds share a prefix', () => {
    const prefixes = cases.map(([, prefix]) => prefix)
    expect(new Set(prefixes).size).toBe(prefixes.length)
  })
})

test('a request at 1767225600.000 gets an id that begins with v-19b76daa800', () => {
  expect(newId('request', at)).toMatch(/^v-19b76daa800[0-9a-f]{7}$/)
})

const hexKinds = Object.keys(forms[5]?.[1] ?? {}) as IdKind[]
const textKinds = forms.slice(0, 4).flatMap(([, kinds]) => Object.keys(kinds)) as IdKind[]
const byteOrder = (a: string, b: string) => Buffer.compare(Buffer.from(a), Buffer.from(b))
const moment = fc.integer({ min: 0, max: Date.UTC(2500, 0) })

test.each([...hexKinds, ...textKinds])('the byte order of %s ids is the order of their milliseconds', (kind) => {
  fc.assert(
    fc.property(moment, moment, (a, b) => {
      fc.pre(a !== b)
      expect(Math.sign(byteOrder(newId(kind, a), newId(kind, b)))).toBe(Math.sign(a - b))
    }),
    { numRuns: 30 },
  )
})

test('time-ordered hexadecimal ids of different kinds sort by time after their prefixes', () => {
  const moments = [at, at + 1, at + 255, at + 65_536, at + 31_536_000_000]
  const tails = moments.map((moment, index) => newId(hexKinds[index] as IdKind, moment).replace(/^.*[_-]/, ''))
  expect([...tails].sort(byteOrder)).toEqual(tails)
})

test('the moment of a time-ordered hexadecimal id can be read from it, and bounds the ids of that moment', () => {
  fc.assert(
    fc.property(moment, (made) => {
      const id = newId('sendout', made)
      expect(momentOf(id)).toBe(made)
      expect(byteOrder(firstIdAt('sendout', made), id)).toBe(-1)
      expect(byteOrder(firstIdAt('sendout', made + 1), id)).toBe(1)
    }),
  )
  expect([-1, 16 ** 11, 0.9].map((each) => firstIdAt('sendout', each))).toEqual([
    'whs_00000000000',
    'whs_fffffffffff',
    'whs_00000000000',
  ])
})

const ordered: IdKind[] = ['transaction', 'voucher', 'notification', 'redemption']

test.each(ordered)('within one millisecond, %s ids of one process are in order of creation', (kind) => {
  const ids = Array.from({ length: 10_000 }, () => newId(kind, at + 5))
  expect([...ids].sort(byteOrder)).toEqual(ids)
  expect(new Set(ids).size).toBe(ids.length)
})

test.each(ordered)('the order of %s ids holds while requests with other timestamps create ids in between', (kind) => {
  const imported: string[] = []
  for (let row = 0; row < 2_000; row += 1) {
    imported.push(newId(kind, at + 10))
    newId('request', at + 11 + row)
  }
  expect([...imported].sort(byteOrder)).toEqual(imported)
})

test('100,000 ids of one millisecond are all different, also with other ids created in between', () => {
  const ids = new Set<string>()
  for (let row = 0; row < 100_000; row += 1) {
    ids.add(newId('transaction', at + 20))
    if (row % 20 === 0) newId('request', at + 21 + row)
  }
  expect(ids.size).toBe(100_000)
})

test('random text uses every character of its alphabet about equally often', () => {
  const text = randomText(62_000)
  const counts = new Map<string, number>()
  for (const character of text) counts.set(character, (counts.get(character) ?? 0) + 1)
  expect([...counts.keys()].sort().join('')).toBe('0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz')
  // 1,000 each; 31 is one standard deviation, so an unbiased source never deviates by seven of them.
  for (const count of counts.values()) expect(Math.abs(count - 1_000)).toBeLessThan(220)
})

test('random text has the requested length, and does not repeat', () => {
  expect(randomText(0)).toBe('')
  expect(randomText(50)).toHaveLength(50)
  expect(new Set(Array.from({ length: 1_000 }, () => randomText(21))).size).toBe(1_000)
})
