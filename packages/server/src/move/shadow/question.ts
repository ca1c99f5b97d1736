import type { Exchange } from './log-line.ts'

/** What we are asked about an exchange. */
export interface Question {
  path: string
  body: object
  /** The redeemables that it is about. */
  redeemables: Asked[]
}

/** A redeemable as the request names it: a voucher by its code, in any case, or by its id. */
export interface Asked {
  object: string
  id: string
}

/** A redeemable named by the path, as in the operations for a single voucher or promotion tier. */
const singleRedeemable = [
  { pattern: /^\/v1\/vouchers\/([^/]{1,1000})\/(?:validate|redemption)$/, object: 'voucher', validation: 'validate' },
  {
    pattern: /^\/v1\/promotions\/tiers\/([^/]{1,1000})\/(?:validation|redemption)$/,
    object: 'promotion_tier',
    validation: 'validation',
  },
] as const

const isSeveral = /^\/(?:client\/)?v1\/(?:validations|redemptions)$/

/** Whether requests of this kind are compared; of others nothing is kept. */
export const isCompared = (method: string, path: string): boolean => {
  const bare = withoutQuery(path)
  return method === 'POST' && (isSeveral.test(bare) || singleRedeemable.some(({ pattern }) => pattern.test(bare)))
}

interface AskOptions {
  /** Really redeem what was redeemed. */
  redeem: boolean
  /** Ask for the moment of the exchange, not for now. */
  as_of: boolean
}

/**
 * The question that has the answer of the exchange, or null if it is not compared. A redemption becomes a validation, unless `redeem` is
 * set. Sessions are left out: a validation with one would hold units and credits.
 */
export function questionOf({ method, path, request, at }: Exchange, { redeem, as_of }: AskOptions): Question | null {
  if (!isCompared(method, path) || !isObject(request)) return null
  const { session: _, tracking_id: __, options, ...body } = request
  const asked = askedOf(withoutQuery(path), body)
  if (asked === null) return null
  const isRedemption = redeem && /redemptions?$/.test(withoutQuery(path))
  // The order of the answer is compared; nobody looks at explanations and expanded objects.
  const moment = as_of && !isRedemption && at !== undefined ? { options: { as_of: at } } : {}
  return {
    path: isRedemption ? asked.path : asked.path.slice(0, asked.path.lastIndexOf('/') + 1) + asked.validation,
    body: { ...body, ...moment },
    redeemables: asked.redeemables,
  }
}

/**
 * One redeemable by itself is asked by itself: among several the limits of stacking, and the rule about those without effect, would play
 * a part.
 */
function askedOf(
  path: string,
  { redeemables }: Record<string, unknown>,
): { path: string; validation: string; redeemables: Asked[] } | null {
  if (isSeveral.test(path)) {
    if (!Array.isArray(redeemables)) return null
    return {
      path: path.replace(/^\/client/, ''),
      validation: 'validations',
      redeemables: redeemables.map((sent) =>
        isObject(sent) ? { object: textOf(sent.object), id: textOf(sent.id) } : { object: '?', id: '?' },
      ),
    }
  }
  for (const { pattern, object, validation } of singleRedeemable) {
    const encoded = pattern.exec(path)?.[1]
    const id = encoded === undefined ? null : decoded(encoded)
    if (id !== null) return { path, validation, redeemables: [{ object, id }] }
  }
  return null
}

/** Whoever calls the shop chooses what is there. */
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '?')

function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text)
  } catch {
    return null
  }
}

export const withoutQuery = (path: string): string => path.split('?', 1)[0] as string

export const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === 'object' && value !== null && !Array.isArray(value)
