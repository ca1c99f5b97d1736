import { campaigns } from './campaigns.ts'
import { codes } from './codes.ts'
import { atOnce, oncePerCustomer } from './customers.ts'
import { giftCards } from './gift-cards.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { orders } from './orders.ts'
import type { Races } from './race.ts'
import { rollbacks } from './rollbacks.ts'
import { sessions } from './sessions.ts'

/** All races, by subject. */
export const races: Record<string, Races> = {
  'a code': codes,
  'a campaign': campaigns,
  [`once per customer, ${atOnce} times concurrently`]: oncePerCustomer,
  'a gift card': giftCards,
  'a rollback': rollbacks,
  sessions,
  'one order': orders,
  'an idempotency key': idempotencyKeys,
}
