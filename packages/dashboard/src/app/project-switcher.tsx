import { Link } from '@tanstack/react-router'
import { Check, ChevronsUpDown } from 'lucide-react'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { useProject, useSession } from './session.tsx'

/** Which project one looks at, and the way to the others. */
export function ProjectSwitcher() {
  const project = useProject()
  const { projects } = useSession()
  return (
    <Menu
      trigger={
        <button
          type="button"
          title="Switch the project"
          className="flex w-full items-center gap-2.5 rounded-md px-1.5 py-1.5 text-left hover:bg-sunken"
        >
          <Mark />
          <span className="min-w-0 flex-1">
            <span className="block truncate font-semibold leading-5">{project.name}</span>
            <span className="block truncate text-muted text-xs leading-4">
              {[project.currency, roleNames[project.role]].filter(Boolean).join(' · ')}
            </span>
          </span>
          <ChevronsUpDown aria-hidden="true" className="size-4 shrink-0 text-muted" />
        </button>
      }
    >
      {projects.map(({ id, name }) => (
        <MenuItem key={id} link={<Link to="/$project" params={{ project: id }} />}>
          <Check aria-hidden="true" className={id === project.id ? 'size-4' : 'size-4 opacity-0'} />
          <span className="truncate">{name}</span>
        </MenuItem>
      ))}
    </Menu>
  )
}

export const roleNames: Record<string, string> = {
  ADMIN: 'Administrator',
  USER: 'User',
  USER_RESTRICTED: 'Restricted user',
  MERCHANT: 'Merchant',
  VIEWER: 'Viewer',
}

/** The sign of the product. */
export function Mark() {
  return (
    <svg viewBox="0 0 32 32" className="size-7 shrink-0" aria-hidden="true">
      <rect width="32" height="32" rx="8" className="fill-accent" />
      <path
        d="M22.5 12.2A7.5 7.5 0 1 0 23.5 17H16.5"
        fill="none"
        strokeWidth="3"
        strokeLinecap="round"
        strokeLinejoin="round"
        className="stroke-on-accent"
      />
    </svg>
  )
}
