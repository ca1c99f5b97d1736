import { Link, Outlet, useNavigate } from '@tanstack/react-router'
import { Menu as MenuIcon, Search, X } from 'lucide-react'
import { useEffect, useState } from 'react'
import { useProject } from '../api/session.ts'
import { IconButton } from '../ui/button.tsx'
import { classes } from '../ui/classes.ts'
import { FormatProvider } from '../ui/format.tsx'
import { Palette } from './palette.tsx'
import { PersonMenu } from './person-menu.tsx'
import { places } from './places.ts'
import { ProjectSwitcher } from './project-switcher.tsx'

/** What surrounds every page of a project: where one is, where one can go, who one is. */
export function Frame() {
  const project = useProject()
  const [isNavigationOpen, setIsNavigationOpen] = useState(false)
  const [isPaletteOpen, setIsPaletteOpen] = useState(false)
  usePaletteKey(() => setIsPaletteOpen(true))
  usePlaceKeys()
  const close = () => setIsNavigationOpen(false)
  return (
    <FormatProvider currency={project.currency} timezone={project.timezone}>
      <a
        href="#content"
        className="sr-only focus:not-sr-only focus:fixed focus:top-2 focus:left-2 focus:z-50 focus:rounded-md focus:bg-accent focus:px-3 focus:py-2 focus:text-on-accent"
      >
        Skip to the content
      </a>
      <div className="min-h-dvh lg:grid lg:grid-cols-[14.5rem_minmax(0,1fr)]">
        <header className="sticky top-0 z-30 flex h-13 items-center justify-between border-line border-b bg-canvas px-3 lg:hidden">
          <IconButton
            label={isNavigationOpen ? 'Close navigation' : 'Open navigation'}
            aria-expanded={isNavigationOpen}
            onClick={() => setIsNavigationOpen(!isNavigationOpen)}
          >
            {isNavigationOpen ? (
              <X aria-hidden="true" className="size-5" />
            ) : (
              <MenuIcon aria-hidden="true" className="size-5" />
            )}
          </IconButton>
          <span className="truncate font-semibold">{project.name}</span>
          <IconButton label="Search" onClick={() => setIsPaletteOpen(true)}>
            <Search aria-hidden="true" className="size-4.5" />
          </IconButton>
        </header>
        <div
          className={classes(
            'z-20 flex-col border-line bg-canvas lg:sticky lg:top-0 lg:flex lg:h-dvh lg:border-r',
            isNavigationOpen ? 'fixed inset-x-0 top-13 bottom-0 flex overflow-y-auto' : 'hidden',
          )}
        >
          <div className="px-3 pt-3">
            <ProjectSwitcher />
            <button
              type="button"
              onClick={() => setIsPaletteOpen(true)}
              className="mt-2 flex h-8.5 w-full items-center gap-2 rounded-md border border-line-strong bg-panel px-2.5 text-muted hover:border-muted"
            >
              <Search aria-hidden="true" className="size-4" />
              <span className="flex-1 text-left">Search</span>
              <kbd className="font-sans text-xs">{paletteKey}</kbd>
            </button>
          </div>
          <nav aria-label="Places" className="flex-1 overflow-y-auto px-3 py-4">
            <ul className="space-y-0.5">
              {places.map(({ to, name, icon: Icon, isExact }) => (
                <li key={to}>
                  <Link
                    to={to}
                    params={{ project: project.id }}
                    onClick={close}
                    activeOptions={{ exact: isExact ?? false, includeSearch: false }}
                    activeProps={{ 'aria-current': 'page' }}
                    className="flex h-8.5 items-center gap-2.5 rounded-md px-2.5 text-muted transition-colors hover:bg-sunken hover:text-ink aria-[current=page]:bg-accent-soft aria-[current=page]:font-medium aria-[current=page]:text-accent"
                  >
                    <Icon aria-hidden="true" className="size-4.5" strokeWidth={1.75} />
                    {name}
                  </Link>
                </li>
              ))}
            </ul>
          </nav>
          <div className="border-line border-t p-3">
            <PersonMenu />
          </div>
        </div>
        <main id="content" tabIndex={-1} className="min-w-0 outline-none">
          <Outlet />
        </main>
      </div>
      <Palette isOpen={isPaletteOpen} onClose={() => setIsPaletteOpen(false)} />
    </FormatProvider>
  )
}

const isMac = /Mac|iP(hone|ad)/.test(navigator.userAgent)
const paletteKey = isMac ? '⌘K' : 'Ctrl K'

function usePaletteKey(open: () => void): void {
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 'k' || !(event.metaKey || event.ctrlKey)) return
      event.preventDefault()
      open()
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  })
}

/** `g` and a letter go to a place, unless somebody is typing. */
function usePlaceKeys(): void {
  const navigate = useNavigate()
  const project = useProject()
  useEffect(() => {
    let isArmed = false
    const onKey = (event: KeyboardEvent) => {
      const target = event.target as HTMLElement
      if (event.metaKey || event.ctrlKey || event.altKey || target.closest('input, textarea, select, [role=dialog]'))
        return
      const place = isArmed ? places.find(({ key }) => key === event.key) : undefined
      isArmed = event.key === 'g'
      if (place) void navigate({ to: place.to, params: { project: project.id } })
    }
    window.addEventListener('keydown', onKey)
    return () => window.removeEventListener('keydown', onKey)
  }, [navigate, project.id])
}
