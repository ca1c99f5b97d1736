import { mkdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import type { BootstrapResult } from '../account/installation/bootstrap.ts'
import type { CommandEnvironment } from './outside.ts'
import { type FirstStart, fileText } from './welcome.ts'

/**
 * Where the secrets of the first start are found: a terminal shows them; otherwise standard output is a log, which is kept, copied
 * and read by many, and they are in a file. Secrets that the operator chose are shown nowhere.
 */
export function firstStartOf(
  { settings, is_terminal }: Pick<CommandEnvironment, 'settings' | 'is_terminal'>,
  keys: BootstrapResult,
): FirstStart {
  const isSecret = [keys.application, keys.client, keys.management].some(({ is_generated }) => is_generated)
  return {
    keys,
    keys_file: isSecret && !is_terminal ? join(settings.data_dir, 'first-start-keys.txt') : null,
    shows_link: is_terminal,
  }
}

/**
 * Writes the file of the first start, which only this user can read. Called in the transaction that creates the keys: if the file
 * cannot be written, nothing is created and the next start tries again; it replaces a file whose transaction failed.
 */
export function writeKeysFile({ keys, keys_file }: FirstStart): void {
  if (keys_file === null) return
  try {
    mkdirSync(dirname(keys_file), { recursive: true })
    rmSync(keys_file, { force: true }) // an existing file would keep its mode
    writeFileSync(keys_file, fileText(keys), { mode: 0o600, flag: 'wx' })
  } catch (error) {
    throw new Error(
      `The keys of the first start cannot be written to ${keys_file} (${(error as NodeJS.ErrnoException).code}), and standard ` +
        'output is no terminal that could show them. Nothing was created. Set GUERDON_DATA_DIR to a folder that this user can ' +
        'write, or choose the secrets with BOOTSTRAP_APP_TOKEN, BOOTSTRAP_CLIENT_TOKEN and BOOTSTRAP_MANAGEMENT_TOKEN.',
    )
  }
}
