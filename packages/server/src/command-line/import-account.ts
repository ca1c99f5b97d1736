import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { findProjectOrOnly } from '../account/projects/store.ts'
import type { Runtime } from '../core/context.ts'
import { lockFolder } from '../core/db/folder-lock.ts'
import type { Project } from '../core/db/project-row.ts'
import { openLog } from '../core/lib/log.ts'
import { type AccountKeys, openAccount } from '../move/account/client.ts'
import { downloadAccount } from '../move/account/download.ts'
import { type DownloadState, openFolder } from '../move/account/folder.ts'
import { accountLists } from '../move/account/lists.ts'
import { newProgress } from '../move/account/progress.ts'
import { hasLeftOut, type ImportReport, reportText } from '../move/account/report.ts'
import { expectTarget, writeAccount } from '../move/account/write.ts'
import { closeRuntime, openRuntime } from '../runtime.ts'
import { importAccountUsage } from './help.ts'
import { isInTheClear } from './in-the-clear.ts'
import { interruptible } from './interruptible.ts'
import { firstStartOf, writeKeysFile } from './keys-file.ts'
import type { CommandEnvironment } from './outside.ts'
import { printable } from './printable.ts'
import { firstKeys } from './welcome.ts'

export interface ImportAccountOptions {
  'app-id'?: string | undefined
  'app-token'?: string | undefined
  base?: string | undefined
  project?: string | undefined
  folder?: string | undefined
  only?: string | undefined
  'management-id'?: string | undefined
  'management-token'?: string | undefined
  'management-project'?: string | undefined
}

/**
 * Copies a Voucherify account into a folder, and the folder into an empty project. Either half goes on where it ended. Returns the
 * exit code: 2 if something was left out.
 */
export async function importAccountCommand(
  environment: CommandEnvironment,
  options: ImportAccountOptions,
): Promise<number> {
  const keys = keysOf(options)
  const only = listsOf(options.only)
  const folder = await openFolder(options.folder ?? `voucherify-${keys.app_id}`)
  const unlock = lockFolder(folder.path, 'Wait until it has ended, or name another folder with --folder.')
  const { settings, say } = environment
  const progress = newProgress(process.stderr, Date.now)
  const inProject = async <T>(work: (runtime: Runtime, project: Project) => Promise<T>): Promise<T> => {
    const { runtime, first_keys } = await openRuntime(settings, openLog(settings.log_level), (first) =>
      writeKeysFile(firstStartOf(environment, first)),
    )
    // At once: they exist by now, no later start can show them, and the import may be killed.
    if (first_keys !== null) say(`${firstKeys(firstStartOf(environment, first_keys))}\n`)
    try {
      return await work(runtime, await findProjectOrOnly(runtime.database.db, options.project))
    } finally {
      await closeRuntime(runtime, 0)
    }
  }
  const copyAccount = async (signal: AbortSignal): Promise<number> => {
    const client = openAccount(keys, {
      signal,
      onWait: (reason, seconds) => progress.note(printable(`${reason}; next attempt in ${Math.ceil(seconds)} s`)),
    })
    if (isInTheClear(keys.base)) progress.note('The keys and the account are sent without encryption: --base is http.')
    // Before hours of reading. Meanwhile the database is closed: the embedded one is for one process.
    await inProject((runtime, project) => expectTarget({ runtime, project, folder }))
    say(`Reading ${keys.base} into ${folder.path} …\n`)
    expectAccount(keys, await downloadAccount({ keys, client, folder, only, now: Date.now, onProgress: progress.step }))
    return inProject(async (runtime, project) => {
      say(`Writing into the project ${project.name} (${project.id}) …\n`)
      const report = await writeAccount({ runtime, project, folder, onProgress: progress.step, signal })
      return tell(report, folder.path, say)
    })
  }
  try {
    return await interruptible(`Interrupted. The same command goes on from here (${folder.path}).`, (signal) =>
      copyAccount(signal).catch((error: unknown) => {
        throw signal.aborted ? signal.reason : error
      }),
    )
  } finally {
    unlock()
  }
}

/** An address that knows none of the lists is not that of an account: an import of nothing would look like a success. */
function expectAccount({ base }: AccountKeys, { lists, refused }: DownloadState): void {
  const [refusal] = Object.values(refused)
  if (refusal !== undefined && !Object.values(lists).some(({ is_done }) => is_done))
    throw new Error(`None of the lists could be read (${refusal}). Is ${base} the address of the API?`)
}

function keysOf(options: ImportAccountOptions): AccountKeys {
  const { 'app-id': appId, 'app-token': appToken, base = 'https://api.voucherify.io' } = options
  const management = {
    id: options['management-id'],
    // A token of the environment alone asks for nothing.
    token: options['management-id'] === undefined ? undefined : options['management-token'],
    project_id: options['management-project'],
  }
  const given = Object.values(management).filter((value) => value !== undefined).length
  if (appId === undefined || appToken === undefined || (given !== 0 && given !== 3)) throw new Error(importAccountUsage)
  if (!/^https?:\/\/[^/]/.test(base) || !URL.canParse(base))
    throw new Error(`--base is not an http or https address: ${base}\n${importAccountUsage}`)
  return {
    base,
    app_id: appId,
    app_token: appToken,
    management: given === 0 ? null : (management as AccountKeys['management']),
  }
}

function listsOf(only: string | undefined): string[] | null {
  if (only === undefined) return null
  const names = only.split(',').map((name) => name.trim())
  const known = accountLists.map(({ name }) => name)
  const unknown = names.find((name) => !known.includes(name))
  if (unknown !== undefined) throw new Error(`There is no list "${unknown}". Lists are: ${known.join(', ')}.`)
  return names
}

function tell(report: ImportReport, folder: string, say: (text: string) => void): number {
  const file = join(folder, 'report.json')
  writeFileSync(file, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
  say(
    `\n${reportText(report)}\nThe report is in ${file}. The folder contains customers and codes: delete it when you are done.\n`,
  )
  return hasLeftOut(report) ? 2 : 0
}
