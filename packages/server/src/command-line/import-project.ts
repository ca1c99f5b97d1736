import { readLines } from '../move/read-lines.ts'
import type { Target } from '../move/rows/claim.ts'
import { readBytes } from '../move/rows/files.ts'
import { projectId } from '../move/rows/format.ts'
import { importProject } from '../move/rows/import.ts'
import { interruptible } from './interruptible.ts'
import type { CommandEnvironment } from './outside.ts'
import { withDatabase } from './with-database.ts'

export interface ImportOptions {
  /** An empty project that exists. */
  project?: string | undefined
  /** The id of a new project, instead of that of the file. */
  as?: string | undefined
}

/** Reads a file of `guerdon export`, beside nodes that serve. */
export async function importCommand(
  { settings, say }: CommandEnvironment,
  file: string,
  options: ImportOptions,
  standardInput: AsyncIterable<Uint8Array>,
): Promise<void> {
  const target = targetOf(options)
  // After a second signal the next import of the project clears what is left.
  await interruptible('Interrupted: nothing is left of the import.', (signal) =>
    withDatabase(settings, async (db) => {
      let told = 0
      const { project_id, name, rows, is_copy } = await importProject(
        db,
        unlessAborted(readLines(readBytes(file === '-' ? standardInput : file)), signal),
        {
          target,
          now: Date.now,
          onRows(count) {
            if (count - told < rowsBetweenLines) return
            told = count
            say(`  ${count} rows …\n`)
          },
        },
      )
      say(`Imported ${rows} rows into ${name} (${project_id}).\n`)
      say(is_copy ? copyText(project_id, target) : 'The keys of the file open it; its webhooks are active.\n')
    }),
  )
}

/**
 * Ends at once, also while the next line is waited for. Each line gets a promise of its own: a race against one promise for all of them
 * would keep every line in memory, since the loser of a race is released only when it settles.
 */
async function* unlessAborted<T>(items: AsyncGenerator<T>, signal: AbortSignal): AsyncGenerator<T> {
  let stop = () => {}
  signal.addEventListener('abort', () => stop(), { once: true })
  for (;;) {
    signal.throwIfAborted()
    const next = await new Promise<IteratorResult<T>>((resolve, reject) => {
      stop = () => reject(signal.reason)
      items.next().then(resolve, reject)
    })
    if (next.done === true) return
    yield next.value
  }
}

const rowsBetweenLines = 100_000

const copyText = (id: string, { kind }: Target): string =>
  [
    'Its webhooks are switched off, so that nothing is sent twice: switch on those that shall send.',
    kind === 'existing'
      ? 'It has the keys that it had before.'
      : `It has no keys: guerdon keys create --name NAME --project ${id}`,
    '',
  ].join('\n')

function targetOf({ project, as }: ImportOptions): Target {
  if (project !== undefined && as !== undefined)
    throw new Error('Name a project with --project or with --as, not both.')
  if (project !== undefined) return { kind: 'existing', id: project }
  if (as === undefined) return { kind: 'original' }
  if (!projectId.test(as)) throw new Error('The id of a project is proj_ and letters or digits, such as proj_copy1.')
  return { kind: 'copy', id: as }
}
