import type { readSettings } from '../core/settings.ts'

/** What main.ts passes to a command: the settings, and a function that writes to standard output. */
export interface CommandEnvironment {
  settings: ReturnType<typeof readSettings>
  say(text: string): void
}
