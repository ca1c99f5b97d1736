import { useState } from 'react'
import { Panel } from '../../ui/page.tsx'
import { applyTheme, readTheme, type Theme } from '../../ui/theme.ts'

const themes: { theme: Theme; name: string }[] = [
  { theme: 'system', name: 'As the system' },
  { theme: 'light', name: 'Light' },
  { theme: 'dark', name: 'Dark' },
]

export function ThemePanel() {
  const [chosen, setChosen] = useState(readTheme)
  return (
    <Panel title="Appearance" about="Of this browser">
      <fieldset className="space-y-2">
        <legend className="sr-only">Theme</legend>
        {themes.map(({ theme, name }) => (
          <label key={theme} className="flex items-center gap-2">
            <input
              type="radio"
              name="theme"
              className="size-4 accent-accent"
              checked={theme === chosen}
              onChange={() => {
                applyTheme(theme)
                setChosen(theme)
              }}
            />
            {name}
          </label>
        ))}
      </fieldset>
    </Panel>
  )
}
