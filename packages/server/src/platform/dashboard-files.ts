import { readFileSync } from 'node:fs'
import type { FastifyBaseLogger } from 'fastify'
import type { Settings } from '../core/settings.ts'
import { builtFolder, type ListedFile, readSite, storedAt } from './file-list.ts'

/** A file of the built dashboard, in memory in every form in which it is sent. */
export interface DashboardFile extends ListedFile {
  /** By content encoding; null: as it is. */
  contents: ReadonlyMap<string | null, Buffer>
}

/** The files of the built dashboard by their path below `/dashboard/`. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

/**
 * Reads the built dashboard, once: requests find their files in this map and never touch the file system, so that no path can name
 * any other file. Null if it is switched off or was not built, which the log then tells.
 */
export function readDashboard(
  { dashboard }: Pick<Settings, 'dashboard'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
  folder: string = builtFolder('dashboard'),
): DashboardFiles | null {
  if (dashboard === 'off') return null
  const site = readSite(folder)
  if (site === null) {
    log.warn(
      { folder },
      'the dashboard is not built, so /dashboard/ is not served: run "npm run build" or "npm start" in a checkout, or set DASHBOARD=off',
    )
    return null
  }
  const contentsOf = (file: ListedFile) =>
    new Map([null, ...file.encodings].map((encoding) => [encoding, readFileSync(storedAt(folder, file, encoding))]))
  return new Map([...site.files].map(([path, file]) => [path, { ...file, contents: contentsOf(file) }]))
}
