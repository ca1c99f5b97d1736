import { familyOf } from './operation.ts'

/**
 * Every scope that a token can request (docs/reference/authentication.md#scopes). Both spellings of the SKU scope are accepted and
 * echoed.
 */
export const scopes: ReadonlySet<string> = new Set([
  'api', 'assets', 'async-actions', 'attention', 'campaigns', 'categories', 'client_api', 'client_consents', 'client_customers',
  'client_events', 'client_promotions', 'client_publish', 'client_qualifications', 'client_redeem', 'client_redemptions',
  'client_validate', 'client_validations', 'client_vouchers', 'consents', 'customers', 'events', 'exports', 'locations',
  'loyalties', 'metadata-schemas', 'orders', 'product-collections', 'products', 'promotions', 'publications',
  'qualifications', 'redemptions', 'referrals', 'rewards', 'search', 'segments', 'SKUs', 'skus', 'statistics', 'task-results', 'templates',
  'trash-bin', 'validation-rules-assignments', 'validation-rules', 'validations', 'vouchers',
]) // biome-ignore format: a list of words

/**
 * The two scopes that grant access to a path, the wide one first; null where tokens are not used. The narrow scope
 * equals the first segment after the family: `validation-rules` does not cover `/v1/validation-rules-assignments`.
 */
export function scopesFor(path: string): readonly [wide: string, narrow: string] | null {
  const family = familyOf(path)
  if (family === 'server') {
    const segment = path.split('/')[2] as string
    return ['api', segment === 'skus' ? 'SKUs' : segment]
  }
  return family === 'client' ? ['client_api', `client_${path.split('/')[3]}`] : null
}

/** Whether a token's scopes (space-delimited, as stored) include one of the required scopes. */
export function covers(scope: string, required: readonly string[]): boolean {
  const grantedScopes = scope.split(' ')
  return required.some((name) => grantedScopes.includes(name) || (name === 'SKUs' && grantedScopes.includes('skus')))
}
