import { readFileSync } from 'node:fs'
import { extname } from 'node:path'
import { fileURLToPath } from 'node:url'

export const listName = 'files.json'

/** What scripts/built-site.mjs writes beside the files that it has built. */
interface FileList {
  /** The hashes of the scripts inside of pages, for the Content-Security-Policy. */
  inline_scripts?: string[]
  files: Array<{ path: string; etag: string; encodings: string[] }>
}

/** A file of a built site: what an answer says about it. */
export interface ListedFile {
  path: string
  etag: string
  type: string
  /** The content encodings that compressing made smaller, the preferred one first. */
  encodings: readonly string[]
}

export interface BuiltSite {
  folder: string
  /** By their path below the folder. */
  files: ReadonlyMap<string, ListedFile>
  inline_scripts: string[]
}

/** The place of a built site, for the sources in `src` and for the published package in `dist` alike. */
export const builtFolder = (name: 'dashboard' | 'guides'): string =>
  fileURLToPath(new URL(`../../dist/${name}`, import.meta.url))

/** Reads the list of a built site; null if it was not built. */
export function readSite(folder: string): BuiltSite | null {
  let list: FileList
  try {
    list = JSON.parse(readFileSync(`${folder}/${listName}`, 'utf8')) as FileList
  } catch {
    return null
  }
  const files = list.files.map(({ path, etag, encodings }) => ({
    path,
    etag: `W/"${etag}"`, // weak: the compressed forms share it
    type: types[extname(path)] ?? 'application/octet-stream',
    encodings,
  }))
  return { folder, files: new Map(files.map((file) => [file.path, file])), inline_scripts: list.inline_scripts ?? [] }
}

/** The path of a file on the disk, in the form of an encoding. */
export const storedAt = (folder: string, { path }: ListedFile, encoding: string | null): string =>
  `${folder}/${path}${encoding === null ? '' : `.${encoding}`}`

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
