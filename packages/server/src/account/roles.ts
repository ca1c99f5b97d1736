import type { Role } from '../core/db/tables.ts'
import { ApiError } from '../core/http/errors.ts'

export const roles: readonly Role[] = ['ADMIN', 'USER', 'VIEWER', 'MERCHANT', 'USER_RESTRICTED']

/** Validates the name of a role; 400 if it is unknown. */
export function roleOf(name: string): Role {
  if (!roles.includes(name as Role))
    throw new ApiError('used_incorrect_role', { details: `The role '${name}' is incorrect` })
  return name as Role
}
