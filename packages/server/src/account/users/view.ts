import type { User } from './schema.ts'
import type { AssignedUser } from './store.ts'

/** A user as the management API returns them. */
export function toUser({ created_at: _, ...user }: AssignedUser): User {
  return user
}
