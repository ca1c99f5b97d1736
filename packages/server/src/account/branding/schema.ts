import { Maybe, Nullable, partial } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../../core/lib/limits.ts'
import { listOf } from '../../core/query/list.ts'
import { EmailAddress, Line } from '../fields.ts'

const RequiredLine = Type.String({ ...Line, minLength: 1 })
const Link = Nullable(
  Type.String({ maxLength: limits.branding_url_length_max, format: 'url-or-host', pattern: '^[^\\p{Cc}\\s]*$' }),
)
const Reminder = Type.String({ ...Line, maxLength: limits.text_length_max })

const brand = {
  name: RequiredLine,
  privacy_policy_url: Link,
  terms_of_use_url: Link,
  permission_reminder: Reminder,
  website_url: Link,
}

const address = {
  street: RequiredLine,
  city: RequiredLine,
  postal: Nullable(Line),
  state: Nullable(Line),
  country: RequiredLine,
}

const contact = { email: EmailAddress, phone: Nullable(Line) }

export const BrandingDetails = Type.Object({
  brand: Type.Object(brand),
  address: Type.Object(address),
  contact: Type.Object(contact),
})
export type BrandingDetails = Static<typeof BrandingDetails>

export const Branding = Type.Object({ id: Type.String(), ...BrandingDetails.properties })
export type Branding = Static<typeof Branding>

export const BrandingList = listOf('data', Branding, { total: true })

export const CreateBranding = Type.Object({
  brand: Type.Object({ ...partial(brand).properties, name: brand.name, permission_reminder: Maybe(Reminder) }),
  address: Type.Object({ ...address, state: Type.Optional(address.state) }),
  contact: Type.Object({ ...contact, phone: Type.Optional(contact.phone) }),
})
export type CreateBranding = Static<typeof CreateBranding>

export const UpdateBranding = partial({
  brand: Type.Object({ ...partial(brand).properties, permission_reminder: Maybe(Reminder) }),
  address: partial(address),
  contact: partial(contact),
})
export type UpdateBranding = Static<typeof UpdateBranding>
