import { accessSync, constants } from 'node:fs'
import { delimiter, join } from 'node:path'

const names = ['chromium', 'chromium-browser', 'google-chrome', 'google-chrome-stable']
const elsewhere = [
  '/Applications/Google Chrome.app/Contents/MacOS/Google Chrome',
  '/Applications/Chromium.app/Contents/MacOS/Chromium',
]

/** The Chromium of this machine: `CHROME_PATH`, or one in the search path. Null: there is none. */
export function findBrowser({ CHROME_PATH, PATH = '' }: NodeJS.ProcessEnv = process.env): string | null {
  if (CHROME_PATH) {
    if (!isExecutable(CHROME_PATH)) throw new Error(`CHROME_PATH: ${CHROME_PATH} is no program`)
    return CHROME_PATH
  }
  const folders = PATH.split(delimiter)
  return (
    [...names.flatMap((name) => folders.map((folder) => join(folder, name))), ...elsewhere].find(isExecutable) ?? null
  )
}

/** A browser that runs as root, as in most containers, starts only without its sandbox; it opens our own pages only. */
export const browserArguments = (): string[] => (process.getuid?.() === 0 ? ['--no-sandbox'] : [])

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}
