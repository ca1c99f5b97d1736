import { Link, useNavigate } from '@tanstack/react-router'
import { BookOpen, Code, LogOut, Monitor, Moon, Sun, UserRound } from 'lucide-react'
import { useState } from 'react'
import { endSession } from '../api/begin-session.ts'
import { useProject, useSession } from '../api/session.ts'
import { Menu, MenuItem, MenuLine } from '../ui/menu.tsx'
import { applyTheme, readTheme, type Theme } from '../ui/theme.ts'

const themes: { theme: Theme; name: string; icon: typeof Sun }[] = [
  { theme: 'system', name: 'As the system', icon: Monitor },
  { theme: 'light', name: 'Light', icon: Sun },
  { theme: 'dark', name: 'Dark', icon: Moon },
]

const guides = { name: 'Guides', address: '/guides/', icon: BookOpen }
const reference = { name: 'API reference', address: '/docs/', icon: Code }

/** Who is signed in: the account, help, the theme, the way out. */
export function PersonMenu() {
  const { user, features } = useSession()
  const project = useProject()
  const navigate = useNavigate()
  const [theme, setTheme] = useState(readTheme)
  const choose = (next: Theme) => {
    applyTheme(next)
    setTheme(next)
  }
  const signOut = async () => {
    await endSession()
    await navigate({ to: '/sign-in' })
  }
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return (
    <Menu
      trigger={
        <button
          type="button"
          title={`Signed in as ${user.email}`}
          className="flex w-full items-center gap-2.5 rounded-md px-1.5 py-1.5 text-left hover:bg-sunken"
        >
          <span
            aria-hidden="true"
            className="flex size-7 shrink-0 items-center justify-center rounded-full bg-accent-soft font-semibold text-accent text-xs uppercase"
          >
            {(name || user.email).slice(0, 1)}
          </span>
          <span className="min-w-0">
            {name && <span className="block truncate leading-5">{name}</span>}
            <span className="block truncate text-muted text-xs leading-4">{user.email}</span>
          </span>
        </button>
      }
    >
      <MenuItem link={<Link to="/$project/settings/account" params={{ project: project.id }} />}>
        <UserRound aria-hidden="true" className="size-4 text-muted" /> My account
      </MenuItem>
      <MenuLine />
      {(features.guides ? [guides, reference] : [reference]).map(({ name: text, address, icon: Icon }) => (
        <MenuItem key={address} link={<a href={address} target="_blank" rel="noreferrer" />}>
          <Icon aria-hidden="true" className="size-4 text-muted" /> {text}
        </MenuItem>
      ))}
      <MenuLine />
      {themes.map(({ theme: value, name: text, icon: Icon }) => (
        <MenuItem key={value} onSelect={() => choose(value)}>
          <Icon aria-hidden="true" className="size-4 text-muted" />
          <span className="flex-1">{text}</span>
          {theme === value && <span className="text-muted text-xs">chosen</span>}
        </MenuItem>
      ))}
      <MenuLine />
      <MenuItem onSelect={() => void signOut()}>
        <LogOut aria-hidden="true" className="size-4 text-muted" /> Sign out
      </MenuItem>
    </Menu>
  )
}
