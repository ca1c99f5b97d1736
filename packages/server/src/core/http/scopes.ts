import { familyOf } from './operation.ts'

/**
 * Every scope a token can ask for (docs/reference/authentication.md#scopes). Both spellings of the SKU scope are accepted and
 * echoed.
 */
export const scopes: ReadonlySet<string> = new Set([
  'api', 'assets', 'async-actions', 'campaigns', 'categories', 'client_api', 'client_consents', 'client_customers',
  'client_events', 'client_promotions', 'client_publish', 'client_qualifications', 'client_redeem', 'client_redemptions',
  'client_validate', 'client_validations', 'client_vouchers', 'consents', 'customers', 'events', 'exports', 'locations',
  'loyalties', 'metadata-schemas', 'orders', 'product-collections', 'products', 'promotions', 'publications',
  'qualifications', 'redemptions', 'referrals', 'rewards', 'segments', 'SKUs', 'skus', 'task-results', 'templates',
  'trash-bin', 'validation-rules-assignments', 'validation-rules', 'validations', 'vouchers',
]) // biome-ignore format: a list of words

/**
 * The two scopes that open a path, the wide one first; null where tokens play no part. A scope opens a path when it
 * equals the first segment after the family: `validation-rules` does not open `/v1/validation-rules-assignments`.
 */
export function scopesFor(path: string): readonly [wide: string, narrow: string] | null {
  const family = familyOf(path)
  if (family === 'server') {
    const segment = path.split('/')[2] as string
    return ['api', segment === 'skus' ? 'SKUs' : segment]
  }
  return family === 'client' ? ['client_api', `client_${path.split('/')[3]}`] : null
}

/** Whether a token's scopes (space-delimited, as stored) open a path that needs one of `needed`. */
export function covers(scope: string, needed: readonly string[]): boolean {
  const granted = scope.split(' ')
  return needed.some((name) => granted.includes(name) || (name === 'SKUs' && granted.includes('skus')))
}
