import { Instant, MapOf, Maybe, Name, OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { limits } from '../../core/lib/limits.ts'
import { listOf } from '../../core/query/list.ts'
import { EmailAddress, Line } from '../fields.ts'

const RoleName = Type.String({
  maxLength: limits.name_length_max,
  description: '`ADMIN`, `USER`, `VIEWER`, `MERCHANT` or `USER_RESTRICTED`.',
})

export const User = Type.Object({
  id: Type.String(),
  login: Type.String(),
  email: Type.String(),
  first_name: Type.String(),
  last_name: Type.String(),
  projects: Type.Unsafe<Record<string, string>>({
    ...MapOf(Type.String()),
    description: 'The role of the user in each project, by project id.',
  }),
  is_owner: Type.Boolean(),
  state: Type.Unsafe<'INVITED' | 'ACTIVE'>({
    ...OneOf(['INVITED', 'ACTIVE']),
    description:
      '`INVITED` until the user has set a password by the link of the invitation (beyond the public contract).',
  }),
})
export type User = Static<typeof User>

export const UserList = listOf('data', User, { total: true })

export const UserListQuery = Type.Object({
  limit: Type.Optional(
    Type.Integer({
      minimum: 1,
      maximum: limits.page_size_max,
      description: `Without \`limit\` and \`page\` the list has the first ${limits.users_listed_max.toLocaleString('en')} users.`,
    }),
  ),
  page: Type.Optional(Type.Integer({ minimum: 1, maximum: limits.page_max })),
})
export type UserListQuery = Static<typeof UserListQuery>

/** Exactly one of `id` and `login`. */
export const AssignUser = Type.Unsafe<{ id?: string | null; login?: string | null; role: string }>({
  ...Type.Object({ id: Maybe(Name), login: Maybe(Name), role: RoleName }),
  examples: [{ login: 'ann@shop.example', role: 'USER' }],
})
export type AssignUser = Static<typeof AssignUser>

export const UpdateUser = Type.Object({ role: RoleName })

export const InviteUser = Type.Object({
  email: EmailAddress,
  first_name: Line,
  last_name: Line,
  projects: Type.Unsafe<Record<string, string>>({
    ...MapOf(RoleName),
    description: 'The role of the user in each project, by project id; at least one.',
  }),
})
export type InviteUser = Static<typeof InviteUser>

/** An invited user and the link by which they set a password. */
export const Invitation = Type.Object({
  user: User,
  link: Type.Optional(
    Type.String({
      description:
        'Works once. Shown here and in the mail to the user: absent when a repeated `Idempotency-Key` is answered.',
    }),
  ),
  expires_at: Instant,
})
export type Invitation = Static<typeof Invitation>
