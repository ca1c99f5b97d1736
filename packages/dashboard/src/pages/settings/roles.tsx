import { ChooseOne } from '../../ui/choose-one.tsx'
import { roleNames } from '../../words/roles.ts'

export const roleIds = ['ADMIN', 'USER', 'USER_RESTRICTED', 'MERCHANT', 'VIEWER'] as const

/** What a person with the role may do. */
export const roleWords: Record<(typeof roleIds)[number], string> = {
  ADMIN: 'Everything in this project, and its users, keys and settings.',
  USER: 'Everything in this project: campaigns, codes, customers, points. Not users and keys.',
  USER_RESTRICTED: 'For now the same as a user; limits by area and store do not exist yet.',
  MERCHANT: 'Looks at everything and exports it; changes nothing. For partners and stores.',
  VIEWER: 'Looks at everything and exports it; changes nothing.',
}

interface ChooseRoleProps {
  value: string
  onChange: (role: string) => void
}

/** The roles, each with what it may do. */
export function ChooseRole({ value, onChange }: ChooseRoleProps) {
  return (
    <ChooseOne
      label="Role"
      options={roleIds.map((role) => ({ value: role, name: roleNames[role] ?? role, about: roleWords[role] }))}
      value={value}
      onChange={onChange}
    />
  )
}
