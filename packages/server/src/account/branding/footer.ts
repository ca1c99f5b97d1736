import type { Db } from '../../core/db/database.ts'
import { findBranding } from './store.ts'

/** The footer of mails about a project, in plain text; empty if the project has no branding. */
export async function brandingFooter(db: Db, projectId: string): Promise<string> {
  const branding = await findBranding(db, projectId)
  if (branding === undefined) return ''
  const { brand, address, contact } = branding
  const lines = [
    '-- ', // where the footer begins, for mail readers that hide it
    brand.name,
    address.street,
    joined(' ', address.postal, address.city),
    joined(', ', address.state, address.country),
    joined(', ', contact.email, contact.phone),
    brand.website_url,
    '',
    brand.permission_reminder,
    brand.privacy_policy_url && `Privacy policy: ${brand.privacy_policy_url}`,
    brand.terms_of_use_url && `Terms of use: ${brand.terms_of_use_url}`,
  ]
  return `${lines.filter((line) => line !== null).join('\n')}\n`
}

/** The text of a mail that ends with a footer, if there is one. */
export const withFooter = (text: string, footer: string): string => (footer === '' ? text : `${text}\n${footer}`)

const joined = (separator: string, ...parts: Array<string | null>): string =>
  parts.filter((part) => part !== null && part !== '').join(separator)
