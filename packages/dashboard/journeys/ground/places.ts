/** Every place of the dashboard: the name of its picture, and its address. */
export const places = {
  overview: '/dashboard/',
  simulator: '/dashboard/simulator',
  codes: '/dashboard/codes',
  customers: '/dashboard/customers',
  redemptions: '/dashboard/redemptions',
  data: '/dashboard/data',
  'settings-account': '/dashboard/settings/account',
  'settings-users': '/dashboard/settings/users',
  'settings-keys': '/dashboard/settings/keys',
} as const satisfies Record<string, string>
