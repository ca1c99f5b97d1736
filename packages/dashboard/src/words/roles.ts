/** What each role is called. */
export const roleNames: Record<string, string> = {
  ADMIN: 'Administrator',
  USER: 'User',
  USER_RESTRICTED: 'Restricted user',
  MERCHANT: 'Merchant',
  VIEWER: 'Viewer',
}
