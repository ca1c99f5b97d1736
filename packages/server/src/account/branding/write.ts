import { Clean } from 'typebox/value'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { type Branding, type BrandingDetails, CreateBranding, UpdateBranding } from './schema.ts'
import { insertBranding, updateBranding } from './store.ts'

const defaultReminder = 'You are receiving this email because you opted in at our website.'

/** Creates the branding of the project, of which there is at most one. */
export async function createBranding(ctx: Ctx, sent: CreateBranding): Promise<Branding> {
  const { brand, address, contact } = Clean(CreateBranding, sent) as CreateBranding // unknown fields must not be stored
  const created = await insertBranding(ctx, {
    brand: {
      name: brand.name,
      privacy_policy_url: brand.privacy_policy_url ?? null,
      terms_of_use_url: brand.terms_of_use_url ?? null,
      permission_reminder: brand.permission_reminder ?? defaultReminder,
      website_url: brand.website_url ?? null,
    },
    address: { ...address, state: address.state ?? null },
    contact: { ...contact, phone: contact.phone ?? null },
  })
  if (created !== undefined) return created
  throw new ApiError('branding_exist', { details: 'Cannot exist more than one branding for given project' })
}

/** Changes the fields that were sent, at any depth. Call it with a locked branding. */
export async function changeBranding(ctx: Ctx, locked: Branding, sent: UpdateBranding): Promise<Branding> {
  const { brand, address, contact } = Clean(UpdateBranding, sent) as UpdateBranding // unknown fields must not be stored
  const merged: BrandingDetails = {
    brand: {
      ...locked.brand,
      ...brand,
      permission_reminder:
        brand?.permission_reminder === undefined
          ? locked.brand.permission_reminder
          : (brand.permission_reminder ?? defaultReminder),
    },
    address: { ...locked.address, ...address },
    contact: { ...locked.contact, ...contact },
  }
  return updateBranding(ctx, locked.id, merged)
}
