import type { Ctx, Runtime } from '../../core/context.ts'
import type { Project } from '../../core/db/project-row.ts'
import { inBackground, newBackgroundRun } from '../../core/jobs/background.ts'
import { rebuildStatistics } from '../../statistics/sums/work.ts'
import type { Writer } from './batch.ts'
import { isEmptyProject } from './empty-project.ts'
import { connectRows } from './finish.ts'
import type { AccountFolder, DownloadState, ListCheckpoint } from './folder.ts'
import { ledgers, writtenWithout } from './needed-before.ts'
import { openCards } from './open-cards.ts'
import { count, type ImportReport, type KindReport, newKindReport } from './report.ts'
import { countUnknownFields } from './unknown-fields.ts'
import { writers } from './writers/index.ts'

/** How far the copy is in the project. Rows that a crash wrote after it are found again by their ids. */
interface WriteState {
  project_id: string
  /** Bytes of each list that are written. */
  lists: Record<string, number>
  report: ImportReport
  /** Whether codes were written and, after them, what several lists add up to. */
  has_ledgers: boolean
  is_done: boolean
}

export interface WriteOptions {
  runtime: Runtime
  project: Project
  folder: AccountFolder
  onProgress(list: string, rows: number, rowsMax: number): void
  signal?: AbortSignal | undefined
}

/**
 * Writes a copy of an account into an empty project, or goes on with it: batch by batch, each in a transaction that writes the
 * rows of the batch and everything that is counted with them. No event is emitted, so no webhook is called.
 */
export async function writeAccount(options: WriteOptions): Promise<ImportReport> {
  const { folder, signal } = options
  const download = await folder.readState<DownloadState>('download')
  if (download === null) throw new Error(`The folder ${folder.path} has no copy of an account.`)
  const state = await openState(options)
  const late: Record<string, string> = {}
  for (const writer of writers) {
    const list = download.lists[writer.list]
    if (list === undefined) continue
    const other = whyLate(state, writer.list, list)
    if (other === undefined) await writeList(options, state, writer, list, download.started_at)
    else late[writer.list] = other
  }
  signal?.throwIfAborted()
  if (!state.is_done) await finish(options, state)
  state.is_done = true
  await folder.saveState('write', state)
  return withUnread(state.report, download, late)
}

/** What was written without the rest of a list, which would no longer agree with it (needed-before.ts). */
function whyLate({ lists, has_ledgers }: WriteState, list: string, { bytes }: ListCheckpoint): string | undefined {
  if ((lists[list] ?? 0) >= bytes) return undefined
  return writtenWithout(list, (other) => (other === ledgers ? has_ledgers : (lists[other] ?? 0) > 0))
}

/** What needs all lists; it may run again. */
async function finish(options: WriteOptions, state: WriteState): Promise<void> {
  if ((state.lists.vouchers ?? 0) > 0) state.has_ledgers = true
  await options.folder.saveState('write', state)
  for (let after: string | null = ''; after !== null; ) {
    const from: string = after
    after = await reporting(options, state, 'vouchers', (ctx, report) => openCards(ctx, from, report))
    await options.folder.saveState('write', state) // a card that is open counts no longer
  }
  await reporting(options, state, 'vouchers', connectRows)
  await rebuildStatistics(options.runtime.database.db, options.project.id)
}

/** The report with what was not read, or too late. */
function withUnread(
  written: ImportReport,
  { refused, lists }: DownloadState,
  late: Readonly<Record<string, string>>,
): ImportReport {
  const report = structuredClone(written)
  for (const [name, other] of Object.entries(late)) {
    const reason = `it was read after ${other} had been written without it: use a new folder and an empty project`
    leaveOut(report, name, reason, (lists[name]?.rows ?? 0) - (report[name]?.read ?? 0))
  }
  for (const [name, reason] of Object.entries(refused)) leaveOut(report, name, `the list was not read: ${reason}`, 1)
  for (const [name, { unreachable, missing }] of Object.entries(lists)) {
    if (unreachable > 0) leaveOut(report, name, 'the pages of the list end before it does', unreachable)
    if (missing > 0) leaveOut(report, name, 'the account has no such list of the object, or it was deleted', missing)
  }
  return report
}

/** Throws if the copy in the folder cannot go into the project: the copy of another one, or a project that has data. */
export async function expectTarget({ folder, project, runtime }: Pick<WriteOptions, 'folder' | 'project' | 'runtime'>) {
  const found = await folder.readState<WriteState>('write')
  if (found !== null && found.project_id !== project.id)
    throw new Error(`The copy in ${folder.path} goes into the project ${found.project_id}: name it with --project.`)
  if (found === null && !(await isEmptyProject(runtime.database.db, project.id)))
    throw new Error(
      `The project ${project.name} (${project.id}) has data, which the account would mix with. Name an empty project with --project.`,
    )
  return found
}

async function openState(options: WriteOptions): Promise<WriteState> {
  const found = await expectTarget(options)
  if (found !== null) return found
  const { folder, project } = options
  // Saved before the first row: from here on, this folder and this project belong together.
  const state: WriteState = { project_id: project.id, lists: {}, report: {}, has_ledgers: false, is_done: false }
  await folder.saveState('write', state)
  return state
}

async function writeList(
  options: WriteOptions,
  state: WriteState,
  writer: Writer,
  { bytes, rows: rowsMax }: ListCheckpoint,
  copiedAt: string,
): Promise<void> {
  const { folder, onProgress, signal } = options
  state.report[writer.list] ??= newKindReport()
  const from = state.lists[writer.list] ?? 0
  for await (const { rows, oversized, next } of folder.batches(writer.list, { from, to: bytes }, writer.size)) {
    signal?.throwIfAborted()
    await reporting(options, state, writer.list, async (ctx, report) => {
      countUnknownFields(writer.list, rows, report)
      await writer.write({ ctx, objects: rows, copied_at: copiedAt, report })
      report.read += rows.length + oversized
      if (oversized > 0) count(report.left_out, 'the object is larger than 1 MiB', null, oversized)
    })
    state.lists[writer.list] = next
    state.is_done = false // a run with --only may have finished before
    await folder.saveState('write', state)
    onProgress(writer.list, state.report[writer.list]?.read ?? 0, rowsMax)
  }
}

/** Runs `work` in a transaction, and keeps what it counts. It counts in a copy: a transaction that is repeated counts again. */
async function reporting<T>(
  options: WriteOptions,
  state: WriteState,
  list: string,
  work: (ctx: Ctx, report: KindReport) => Promise<T>,
): Promise<T> {
  const [report, result] = await inProject(options, async (ctx) => {
    const draft = structuredClone(state.report[list] ?? newKindReport())
    return [draft, await work(ctx, draft)] as const
  })
  state.report[list] = report
  return result
}

async function inProject<T>({ runtime, project }: WriteOptions, work: (ctx: Ctx) => Promise<T>): Promise<T> {
  const result = await inBackground(runtime, project.id, newBackgroundRun(runtime.now()), async (ctx) => ({
    value: await work(ctx),
  }))
  if (result === null) throw new Error(`The project ${project.id} was deleted.`)
  return result.value
}

function leaveOut(report: ImportReport, list: string, reason: string, times: number): void {
  const kind = report[list] ?? newKindReport()
  report[list] = kind
  count(kind.left_out, reason, null, times)
}
