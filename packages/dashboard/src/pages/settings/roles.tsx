import { roleNames } from '../../app/project-switcher.tsx'

export const roleIds = ['ADMIN', 'USER', 'USER_RESTRICTED', 'MERCHANT', 'VIEWER'] as const

/** What a person with the role may do. */
export const roleWords: Record<string, string> = {
  ADMIN: 'Everything in this project, and its users, keys and settings.',
  USER: 'Everything in this project: campaigns, codes, customers, points. Not users and keys.',
  USER_RESTRICTED: 'For now the same as a user; limits by area and store do not exist yet.',
  MERCHANT: 'Looks at everything and exports it; changes nothing. For partners and stores.',
  VIEWER: 'Looks at everything and exports it; changes nothing.',
}

/** What a program with a key of the role may do. A key opens no users, keys and settings, whatever its role. */
export const keyRoleWords: Record<string, string> = {
  ADMIN: 'Reads and changes everything in this project.',
  USER: 'Reads and changes everything in this project.',
  USER_RESTRICTED: 'For now the same as a user; limits by area and store do not exist yet.',
  MERCHANT: 'Reads everything and exports it; changes nothing.',
  VIEWER: 'Reads everything and exports it; changes nothing.',
}

interface RolesProps {
  words: Record<string, string>
  value: string
  onChange: (role: string) => void
}

/** The roles, each with what it may do. */
export function ChooseRole({ words, value, onChange }: RolesProps) {
  return (
    <fieldset>
      <legend className="mb-1 font-medium text-xs">Role</legend>
      <div className="divide-y divide-line rounded-md border border-line-strong">
        {roleIds.map((role) => (
          <label
            key={role}
            className="flex items-start gap-2.5 px-3 py-2 hover:bg-sunken/60 has-checked:bg-accent-soft"
          >
            <input
              type="radio"
              name="role"
              className="mt-0.5 size-4 shrink-0 accent-accent"
              checked={value === role}
              onChange={() => onChange(role)}
            />
            <span>
              <span className="block font-medium">{roleNames[role]}</span>
              <span className="block text-muted text-xs">{words[role]}</span>
            </span>
          </label>
        ))}
      </div>
    </fieldset>
  )
}
