import { toInstant } from '../../core/lib/instant.ts'
import { type AccountClient, AccountError, type AccountKeys } from './client.ts'
import type { AccountFolder, DownloadState, ListCheckpoint } from './folder.ts'
import type { Foreign } from './foreign.ts'
import { inLanes } from './in-lanes.ts'
import { type AccountList, accountLists } from './lists.ts'
import { walkExport } from './walk-export.ts'
import { voucherWalk } from './walk-vouchers.ts'
import { keyOf, type Stretch, type Walked, walkAll, walkCursor, walkPages, walkWindow } from './walks.ts'

export interface DownloadOptions {
  keys: AccountKeys
  client: AccountClient
  folder: AccountFolder
  /** Names of the lists to read; null: all. */
  only: readonly string[] | null
  now(): number
  /** Called after every checkpoint. */
  onProgress(list: string, rows: number): void
}

/**
 * Copies the account into the folder, and goes on where an earlier call ended: each list has a checkpoint, saved after the rows
 * it counts. Nothing is written to the account.
 */
export async function downloadAccount(options: DownloadOptions): Promise<DownloadState> {
  const state = await openState(options)
  for (const list of accountLists) {
    if (options.only !== null && !options.only.includes(list.name)) continue
    const reason = whyNotRead(options, state, list)
    if (reason === null) await downloadList(options, state, list)
    else state.refused[list.name] = reason
  }
  await options.folder.saveState('download', state)
  return state
}

/** Why a list is not read by this call; a later one may. */
function whyNotRead({ keys }: DownloadOptions, { lists }: DownloadState, list: AccountList): string | null {
  if (list.is_managed && keys.management === null) return 'no management keys were given'
  // Without the rows it belongs to, the list would count as read to its end, and its cursor would name other rows of it later.
  const needed = list.of?.list ?? list.lanes?.list ?? (list.walk === 'vouchers' ? 'campaigns' : undefined)
  if (needed === undefined || lists[needed]?.is_done) return null
  return `it belongs to the list ${needed}, which was not read`
}

async function openState({ folder, keys, now }: DownloadOptions): Promise<DownloadState> {
  const { base, app_id } = keys
  const found = await folder.readState<DownloadState>('download')
  if (found === null) {
    const state = { base, app_id, started_at: toInstant(now()), lists: {}, refused: {} }
    await folder.saveState('download', state)
    return state
  }
  if (found.base !== base || found.app_id !== app_id)
    throw new Error(
      `The folder ${folder.path} has the copy of another account (${found.app_id} at ${found.base}): name another with --folder.`,
    )
  return found
}

async function downloadList(options: DownloadOptions, state: DownloadState, list: AccountList): Promise<void> {
  const { client, folder, onProgress } = options
  const checkpoint = state.lists[list.name] ?? {
    bytes: 0,
    rows: 0,
    is_done: false,
    cursor: {},
    unreachable: 0,
    missing: 0,
  }
  state.lists[list.name] = checkpoint
  if (!checkpoint.is_done) delete state.refused[list.name]
  const walk =
    list.of === undefined
      ? await ownWalk(options, state, list)
      : childrenWalk(options, state, list, await parentsOf(folder, state, list.of.list))
  while (!checkpoint.is_done) {
    const stretch = await walk(checkpoint.cursor).catch(refusalOf)
    if (stretch instanceof AccountError) {
      client.release() // pages of some of its parents may be held
      state.refused[list.name] = stretch.message
      return folder.saveState('download', state)
    }
    if (stretch.rows.length > 0) checkpoint.bytes = await folder.append(list.name, checkpoint.bytes, stretch.rows)
    client.release()
    checkpoint.rows += stretch.rows.length
    checkpoint.unreachable += stretch.unreachable
    checkpoint.missing += stretch.missing ?? 0
    checkpoint.is_done = stretch.next === null
    checkpoint.cursor = stretch.next ?? {}
    await folder.saveState('download', state)
    onProgress(list.name, checkpoint.rows)
  }
}

/**
 * A list that this account does not have, or that its key may not read, is left out, and asked for again by the next call, whose key
 * may be a better one; everything else ends the copy.
 */
function refusalOf(error: unknown): AccountError {
  if (error instanceof AccountError && [402, 403, 404, 405].includes(error.status)) return error
  throw error
}

type Step = (cursor: Foreign) => Promise<Stretch>

async function ownWalk(options: DownloadOptions, state: DownloadState, list: AccountList): Promise<Step> {
  const { client, folder, keys } = options
  const walked = walkedBy(state, list, list.path.replace('{project}', keys.management?.project_id ?? ''))
  if (list.walk === 'vouchers') {
    return voucherWalk(client, walked, await parentsOf(folder, state, 'campaigns'))
  }
  if (list.lanes === undefined) return (cursor) => walk(client, list, walked, cursor)
  return lanesWalk(options, state, list, walked, list.lanes)
}

/** The pages of the whole list; if these do not suffice, then those of each row of another list, one per call. */
function lanesWalk(
  { client, folder }: DownloadOptions,
  state: DownloadState,
  list: AccountList,
  walked: Walked,
  lanes: NonNullable<AccountList['lanes']>,
): Step {
  // Read once: a call of the step is one lane, and there may be thousands.
  let parents: Foreign[] | null = null
  let seen: Set<string> | null = null
  return async ({ lane, hidden }) => {
    if (lane === undefined) {
      const { rows, unreachable } = await walkPages(client, walked)
      return { rows, next: unreachable === 0 ? null : { lane: 0, hidden: unreachable }, unreachable: 0 }
    }
    parents ??= await parentsOf(folder, state, lanes.list)
    const parent = parents[Number(lane)]
    if (parent === undefined) return { rows: [], next: null, unreachable: Number(hidden) }
    seen ??= await keysIn(folder, state, list.name)
    const read = await walkPages(client, { ...walked, query: { ...walked.query, ...lanes.query(parent) } })
    const rows = read.rows.filter((row) => !seen?.has(keyOf(row)))
    for (const row of rows) seen.add(keyOf(row))
    return {
      rows,
      next: { lane: Number(lane) + 1, hidden: Math.max(0, Number(hidden) - rows.length) },
      unreachable: 0,
    }
  }
}

/** The lists of the parents one after another; several at once where each is short. */
function childrenWalk(
  { client }: DownloadOptions,
  state: DownloadState,
  list: AccountList,
  parents: readonly Foreign[],
): Step {
  const pathOf = list.of?.path ?? (() => null)
  const rowsOf = async (parent: Foreign, cursor: Foreign): Promise<Stretch> => {
    const path = pathOf(parent)
    if (path === null) return { rows: [], next: null, unreachable: 0 }
    const stretch = await walk(client, list, walkedBy(state, list, path), cursor).catch(ifMissing)
    return { ...stretch, rows: stretch.rows.map((row) => ({ ...row, parent_id: parent.id })) }
  }
  const atOnce = list.walk === 'pages' ? parentsAtOnce : 1
  return async ({ parent = 0, inner = {} }) => {
    const first = Number(parent)
    const stretches = await inLanes(parents.slice(first, first + atOnce), (one) => rowsOf(one, inner as Foreign))
    const rest = atOnce === 1 ? (stretches[0]?.next ?? null) : null
    const next = rest === null ? { parent: first + atOnce } : { parent: first, inner: rest }
    return {
      rows: stretches.flatMap(({ rows }) => rows),
      next: next.parent < parents.length ? next : null,
      unreachable: stretches.reduce((sum, { unreachable }) => sum + unreachable, 0),
      missing: stretches.reduce((sum, { missing = 0 }) => sum + missing, 0),
    }
  }
}

const parentsAtOnce = 100

/** The parent was deleted since it was read, or the account does not have such lists at all: counted, since nobody can tell. */
function ifMissing(error: unknown): Stretch {
  if (error instanceof AccountError && error.status === 404) return { rows: [], next: null, unreachable: 0, missing: 1 }
  throw error
}

function walk(client: AccountClient, list: AccountList, walked: Walked, cursor: Foreign): Promise<Stretch> {
  switch (list.walk) {
    case 'all':
      return walkAll(client, walked)
    case 'pages':
      return walkPages(client, walked)
    case 'cursor':
      return walkCursor(client, walked, cursor)
    case 'windows':
    case 'vouchers':
      return walkWindow(client, walked, cursor)
    case 'export':
      return walkExport(client, walked)
  }
}

const walkedBy = (state: DownloadState, list: AccountList, path: string): Walked => ({
  path,
  query: list.query ?? {},
  order: list.order,
  before: state.started_at,
})

async function parentsOf(folder: AccountFolder, state: DownloadState, name: string): Promise<Foreign[]> {
  const { bytes } = state.lists[name] ?? ({ bytes: 0 } as ListCheckpoint)
  const parents: Foreign[] = []
  for await (const { rows } of folder.batches(name, { from: 0, to: bytes }, 1_000)) parents.push(...rows)
  return parents
}

/** What tells the rows apart that were read of a list. */
async function keysIn(folder: AccountFolder, state: DownloadState, name: string): Promise<Set<string>> {
  const keys = new Set<string>()
  for await (const { rows } of folder.batches(name, { from: 0, to: state.lists[name]?.bytes ?? 0 }, 1_000))
    for (const row of rows) keys.add(keyOf(row))
  return keys
}
