import { statSync } from 'node:fs'
import type { Settings } from '../core/settings.ts'
import { type BuiltSite, builtFolder, listName, readSite } from './file-list.ts'

/** The built guides as they are now; null while there are none. */
export type GuidesSite = () => BuiltSite | null

/**
 * Finds the built guides; null if they are switched off. In a checkout they may be built beside the running service, and again when
 * their author asks, so their list is read again when it has changed.
 */
export function openGuides(
  { guides }: Pick<Settings, 'guides'>,
  folder: string = builtFolder('guides'),
): GuidesSite | null {
  if (guides === 'off') return null
  let readAt: number | undefined
  let site: BuiltSite | null = null
  return () => {
    const changedAt = statSync(`${folder}/${listName}`, { throwIfNoEntry: false })?.mtimeMs
    if (changedAt !== readAt) {
      site = readSite(folder)
      readAt = changedAt
    }
    return site
  }
}
