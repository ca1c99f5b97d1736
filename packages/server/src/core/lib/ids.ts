import { randomFillSync } from 'node:crypto'

/**
 * The format of every id that the service generates: its prefix, and what follows.
 *
 * - `hex`: 18 lower-case hexadecimal digits, 11 of Unix milliseconds and 7 random;
 * - a number: that many characters of [0-9A-Za-z], the first 8 of which encode the time, and from 24 on the next 5 a counter.
 *
 * Both kinds sort by creation when compared byte by byte (the database compares ids with collation "C"), so inserts
 * stay at the right edge of an index and a cursor over ids is a cursor over time. The ids that one process makes within a
 * millisecond keep their order too, but for those of 12 and 16 characters. Project ids are too short to contain a time.
 */
const forms = {
  voucher: ['v_', 32],
  publication: ['pub_', 32],
  user: ['user_', 32],
  user_session: ['uses_', 24],
  campaign: ['camp_', 24],
  promotion_tier: ['promo_', 24],
  promotion_stack: ['stack_', 24],
  export: ['exp_', 24],
  customer: ['cust_', 24],
  segment: ['seg_', 24],
  products_collection: ['pc_', 24],
  order: ['ord_', 24],
  location: ['loc_', 24],
  metadata_schema: ['ms_', 24],
  webhook: ['wh_', 24],
  permanent_deletion: ['del_', 24],
  rule_assignment: ['asgm_', 16],
  validation_rule: ['val_', 12],
  project: ['proj_', 8],
  organization: ['org_', 24],
  terms: ['terms_', 24],
  file: ['file_', 24],
  api_key: ['key_', 24],
  redemption: ['r_', 24],
  failed_redemption: ['rf_', 24],
  rollback: ['rr_', 24],
  failed_rollback: ['rrf_', 24],
  order_line: ['ordli_', 24],
  validation: ['valid_', 24],
  session: ['ssn_', 24],
  tracking: ['track_', 32],
  earning_rule: ['ern_', 24],
  automation: ['auto_', 24],
  loyalty_tier: ['ltr_', 24],
  points_bucket: ['lopb_', 24],
  reward: ['rew_', 24],
  reward_assignment: ['rewa_', 24],
  reward_redemption: ['rewr_', 24],
  referral_tier: ['reft_', 24],
  consent: ['cnst_', 24],
  consent_group: ['cnstgr_', 24],
  notification: ['ntf_', 24],
  mail: ['mail_', 24],
  category: ['cat_', 'hex'],
  campaign_template: ['camp_tpl_', 'hex'],
  transaction: ['vtx_', 'hex'],
  posting: ['post_', 'hex'],
  async_action: ['aa_', 'hex'],
  bin_entry: ['tbe_', 'hex'],
  holder: ['rh_', 'hex'],
  pending_points: ['lopp_', 'hex'],
  customer_event: ['evcus_', 'hex'],
  voucher_event: ['evvou_', 'hex'],
  redemption_event: ['evred_', 'hex'],
  campaign_event: ['evcam_', 'hex'],
  publication_event: ['evpub_', 'hex'],
  validation_rule_event: ['evval_', 'hex'],
  segment_event: ['evseg_', 'hex'],
  products_collection_event: ['evpc_', 'hex'],
  distribution_event: ['evdis_', 'hex'],
  request: ['v-', 'hex'],
  background_run: ['w-', 'hex'],
  product: ['prod_', 'hex'],
  sku: ['sku_', 'hex'],
  custom_event: ['event_', 'hex'],
  stacking_rules: ['stk_', 'hex'],
  branding: ['brd_', 'hex'],
  sendout: ['whs_', 'hex'],
  audit_entry: ['log_', 'hex'],
} as const satisfies Record<string, readonly [prefix: string, rest: number | 'hex']>

export type IdKind = keyof typeof forms
export const idKinds = Object.keys(forms) as IdKind[]
export type Id<K extends IdKind> = `${(typeof forms)[K][0]}${string}`

/** The prefix of an id kind, for schemas and checks: `idPrefix('category')` is `cat_`. */
export const idPrefix = (kind: IdKind): string => forms[kind][0]

/** A new id of a kind: `newId('category')` → `cat_19b76daa80012ab34c`. `at` is Unix milliseconds. */
export function newId<K extends IdKind>(kind: K, at: number = Date.now()): Id<K> {
  const [prefix, rest] = forms[kind]
  if (rest === 'hex') return `${prefix}${timeOrderedHex(at)}` as Id<K>
  if (kind === 'project') return `${prefix}${randomText(rest)}` as Id<K>
  if (rest < 24) return `${prefix}${base62Time(at)}${randomText(rest - 8)}` as Id<K>
  return `${prefix}${base62Time(at)}${base62(nextTail(at), 5)}${randomText(rest - 13)}` as Id<K>
}

type HexKind = { [K in IdKind]: (typeof forms)[K][1] extends 'hex' ? K : never }[IdKind]

/** The time in the ids of `hex` kinds that are made at a moment, in Unix milliseconds: it sorts before what follows it in them. */
export function timeDigitsAt(at: number): string {
  return Math.min(Math.max(Math.trunc(at), 0), 0xfffffffffff)
    .toString(16)
    .padStart(11, '0')
}

/** No id that was made at this moment or later sorts before it. */
export const firstIdAt = (kind: HexKind, at: number): string => `${idPrefix(kind)}${timeDigitsAt(at)}`

/** The moment in an id of a `hex` kind, in Unix milliseconds. */
export const momentOf = (id: string): number => Number.parseInt(id.slice(-18, -7), 16)

/** The counter in an id that has one: ids that one process made within a millisecond differ in it. */
export function counterIn(id: string): number {
  const digits = id.slice(id.indexOf('_') + 9, id.indexOf('_') + 14)
  return [...digits].reduce((sum, digit) => sum * 62 + Math.max(0, alphabet.indexOf(digit)), 0)
}

/** Sorts before the vouchers of this moment whose counter is not smaller, and before those of later moments; after all others. */
export const voucherIdAt = (at: number, counter: number): string => `v_${base62Time(at)}${base62(counter, 5)}`

/** `length` characters of [0-9A-Za-z] from the cryptographic source, each equally likely. */
export function randomText(length: number): string {
  let text = ''
  while (text.length < length) {
    const byte = randomByte() & 63
    if (byte < 62) text += alphabet[byte] // 62 and 63 are rejected: a modulo would favour the first characters
  }
  return text
}

const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'

function base62(value: number, width: number): string {
  let text = ''
  for (let rest = value; text.length < width; rest = Math.floor(rest / 62)) text = alphabet[rest % 62] + text
  return text
}

/** The ids of a request have the same time, those of others mostly a later one. */
const base62Time = forLatest((at) => base62(at, 8))
const hexTime = forLatest(timeDigitsAt)

function forLatest(write: (at: number) => string): (at: number) => string {
  let latest = Number.NaN
  let text = ''
  return (at) => {
    if (at !== latest) {
      text = write(at)
      latest = at
    }
    return text
  }
}

/**
 * The last tail used for each recent millisecond, and for those that were recent before. Once there are `tailsMax` recent ones, they replace
 * the older ones: to delete them one by one would leave gaps in the map, over which each look for the oldest entry would have to step.
 */
let tails = new Map<number, number>()
let olderTails: ReadonlyMap<number, number> = tails
const tailsMax = 4_096

/**
 * Within one millisecond the tail counts up from a random start, so ids of one process keep the order of creation. An import
 * generates a hundred thousand ids for its start time while other requests generate theirs: each millisecond has its own
 * counter, because many random starts within one millisecond would collide.
 */
function nextTail(at: number): number {
  const last = tails.get(at) ?? olderTails.get(at)
  // A start below 2^27 leaves half of the range to count.
  const tail =
    last !== undefined && last < 0xfffffff
      ? last + 1
      : (randomByte() << 19) | (randomByte() << 11) | (randomByte() << 3) | (randomByte() & 7)
  if (tails.size >= tailsMax) {
    olderTails = tails
    tails = new Map()
  }
  tails.set(at, tail)
  return tail
}

const timeOrderedHex = (at: number): string => hexTime(at) + nextTail(at).toString(16).padStart(7, '0')

const randomPool = new Uint8Array(4096)
let randomPoolUsed = randomPool.length

function randomByte(): number {
  if (randomPoolUsed === randomPool.length) {
    randomFillSync(randomPool)
    randomPoolUsed = 0
  }
  return randomPool[randomPoolUsed++] as number
}
