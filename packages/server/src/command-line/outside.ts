import type { readSettings } from '../core/settings.ts'

/** What a command gets from the outside. */
export interface CommandEnvironment {
  settings: ReturnType<typeof readSettings>
  say(text: string): void
}
