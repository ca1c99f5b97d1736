import { Link } from '@tanstack/react-router'
import { Check, ChevronsUpDown } from 'lucide-react'
import { useProject, useSession } from '../api/session.ts'
import { Mark } from '../ui/mark.tsx'
import { Menu, MenuItem } from '../ui/menu.tsx'
import { roleNames } from '../words/roles.ts'

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
