import { campaigns } from './campaigns.ts'
import { codes } from './codes.ts'
import { oncePerCustomer } from './customers.ts'
import { giftCards } from './gift-cards.ts'
import { idempotencyKeys } from './idempotency-keys.ts'
import { orders } from './orders.ts'
import type { Races } from './race.ts'
import { rollbacks } from './rollbacks.ts'
import { sessions } from './sessions.ts'

/** All races, by what they are about. */
export const races: Record<string, Races> = {
  'a code': codes,
  'a campaign': campaigns,
  'once per customer, fifty times at once': oncePerCustomer,
  'a gift card': giftCards,
  'a rollback': rollbacks,
  sessions,
  'one order': orders,
  'an idempotency key': idempotencyKeys,
}
