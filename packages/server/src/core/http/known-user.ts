import type { Role } from '../db/tables.ts'

/** A signed-in user with the fields that admission needs. */
export interface KnownUser {
  id: string
  email: string
  is_owner: boolean
  /** By project id. An owner is ADMIN of every project, also of those that are not listed. */
  roles: Readonly<Record<string, Role>>
}

export interface KnownSession {
  id: string
  user: KnownUser
  /** Unix milliseconds; no session outlives it. */
  ends_at: number
  /** Unix milliseconds of the last use, to the minute; the cached session is updated with the row. */
  used_at: number
}
