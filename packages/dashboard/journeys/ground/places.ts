import type { Shop } from './shop.ts'

/** Every place of the dashboard: the name of its picture, and its path in a project. */
export const places = {
  overview: '',
  simulator: '/simulator',
  codes: '/codes',
  customers: '/customers',
  redemptions: '/redemptions',
  data: '/data',
  'settings-account': '/settings/account',
  'settings-users': '/settings/users',
  'settings-keys': '/settings/keys',
} as const satisfies Record<string, string>

export type PlaceName = keyof typeof places

export const addressOf = (shop: Pick<Shop, 'project_id'>, place: PlaceName): string =>
  `/dashboard/${shop.project_id}${places[place]}`
