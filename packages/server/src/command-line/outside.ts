import type { readSettings } from '../core/settings.ts'

/** What a command gets from the outside. */
export interface Outside {
  settings: ReturnType<typeof readSettings>
  say(text: string): void
}
