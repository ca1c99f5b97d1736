import { refusedForVip, vipCodes, vipCustomer } from '../../../server/src/demo/known.ts'
import type { Shop } from './shop.ts'

/** A simulation of a code that is refused; other codes qualify. */
const cart = {
  customer: vipCustomer.source_id,
  items: [
    { name: 'House Espresso', quantity: 4, price: 1_190 },
    { name: 'Pour-over set', price: 3_900 },
  ],
  redeemables: [{ id: refusedForVip.code }],
}

/** Every place of the dashboard: the name of its picture, and its path in a project. */
export const places = {
  overview: '',
  simulator: `/simulator?cart=${encodeURIComponent(JSON.stringify(cart))}`,
  codes: '/codes',
  code: `/codes/${vipCodes.gift}`,
  customers: '/customers',
  customer: `/customers/${vipCustomer.source_id}`,
  redemptions: '/redemptions',
  data: '/data',
  'settings-account': '/settings/account',
  'settings-users': '/settings/users',
  'settings-keys': '/settings/keys',
  'settings-project': '/settings/project',
} as const satisfies Record<string, string>

export type PlaceName = keyof typeof places

export const addressOf = (shop: Pick<Shop, 'project_id'>, place: PlaceName): string =>
  `/dashboard/${shop.project_id}${places[place]}`
