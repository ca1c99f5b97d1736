import { Link, Outlet } from '@tanstack/react-router'
import { useProject } from '../../api/session.ts'

const pages = [
  { to: '/$project/settings/account', name: 'My account' },
  { to: '/$project/settings/users', name: 'Users' },
  { to: '/$project/settings/keys', name: 'Keys' },
  { to: '/$project/settings/project', name: 'Project' },
] as const

/** The settings: one page each, named above. */
export function SettingsFrame() {
  const { id } = useProject()
  return (
    <>
      <nav aria-label="Settings" className="border-line border-b">
        <ul className="mx-auto flex max-w-6xl gap-5 overflow-x-auto px-4 pt-4 sm:px-8">
          {pages.map(({ to, name }) => (
            <li key={to}>
              <Link
                to={to}
                params={{ project: id }}
                activeProps={{ 'aria-current': 'page' }}
                className="-mb-px block whitespace-nowrap border-transparent border-b-2 pb-2.5 text-muted hover:text-ink aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-ink"
              >
                {name}
              </Link>
            </li>
          ))}
        </ul>
      </nav>
      <Outlet />
    </>
  )
}
