import type { readSettings } from '../core/settings.ts'

/** What main.ts passes to a command. */
export interface CommandEnvironment {
  settings: ReturnType<typeof readSettings>
  /** Whether standard output is a terminal: secrets of the first start are shown only there. */
  is_terminal: boolean
  /** Writes to standard output. */
  say(text: string): void
}
