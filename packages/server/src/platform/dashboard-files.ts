import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { FastifyBaseLogger } from 'fastify'
import type { Settings } from '../core/settings.ts'

/** A file of the built dashboard, in memory in every form in which it is sent. */
export interface DashboardFile {
  content: Buffer
  /** By name of the content encoding, where compressing made it smaller. */
  compressed: ReadonlyMap<string, Buffer>
  etag: string
  type: string
}

/** The files of the built dashboard by their path below `/dashboard/`. */
export type DashboardFiles = ReadonlyMap<string, DashboardFile>

/** What scripts/dashboard.mjs writes beside the files that it has built. */
interface FileList {
  files: Array<{ path: string; etag: string; encodings: string[] }>
}

/** The place of the built files, for the sources in `src` and for the published package in `dist` alike. */
const builtFolder = fileURLToPath(new URL('../../dist/dashboard', import.meta.url))

/**
 * Reads the built dashboard, once: requests find their files in this map and never touch the file system, so that no path can name
 * any other file. Null if it is switched off or was not built, which the log then tells.
 */
export function readDashboard(
  { dashboard }: Pick<Settings, 'dashboard'>,
  log: Pick<FastifyBaseLogger, 'warn'>,
  folder: string = builtFolder,
): DashboardFiles | null {
  if (dashboard === 'off') return null
  let list: FileList
  try {
    list = JSON.parse(readFileSync(`${folder}/files.json`, 'utf8')) as FileList
  } catch {
    log.warn(
      { folder },
      'the dashboard is not built, so /dashboard/ is not served: run "npm run build" or "npm start" in a checkout, or set DASHBOARD=off',
    )
    return null
  }
  return new Map(
    list.files.map(({ path, etag, encodings }) => [
      path,
      {
        content: readFileSync(`${folder}/${path}`),
        compressed: new Map(encodings.map((name) => [name, readFileSync(`${folder}/${path}.${name}`)])),
        etag: `W/"${etag}"`, // weak: the compressed forms share it
        type: types[extname(path)] ?? 'application/octet-stream',
      },
    ]),
  )
}

const types: Readonly<Record<string, string>> = {
  '.css': 'text/css; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.json': 'application/json; charset=utf-8',
  '.png': 'image/png',
  '.svg': 'image/svg+xml',
  '.txt': 'text/plain; charset=utf-8',
  '.webmanifest': 'application/manifest+json',
  '.woff2': 'font/woff2',
}
