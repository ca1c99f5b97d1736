import { execFileSync } from 'node:child_process'
import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { fileURLToPath, pathToFileURL } from 'node:url'

/** Another version of the service to compare with. */
export interface OtherCheckout {
  /** The entry point of its service. */
  main: URL
  remove(): void
}

const repository = fileURLToPath(new URL('..', import.meta.url))

/**
 * The version to compare with: `--against <commit>`, which is checked out into a temporary folder and gets the packages of its
 * lock file, or the folder in BENCH_AGAINST, which has them already. Null if neither is given.
 */
export function otherCheckout(commit: string | null): OtherCheckout | null {
  if (commit !== null) return checkOut(commit)
  const folder = process.env.BENCH_AGAINST
  return folder === undefined ? null : { main: mainIn(resolve(folder)), remove: () => {} }
}

function checkOut(commit: string): OtherCheckout {
  const folder = join(mkdtempSync(join(tmpdir(), 'guerdon-against-')), 'checkout')
  const git = (...args: string[]) =>
    execFileSync('git', args, { cwd: repository, stdio: ['ignore', 'ignore', 'inherit'] })
  git('worktree', 'add', '--detach', folder, commit)
  const remove = () => void git('worktree', 'remove', '--force', folder)
  try {
    execFileSync('npm', ['ci', '--prefer-offline', '--no-audit', '--no-fund'], { cwd: folder, stdio: 'ignore' })
  } catch (error) {
    remove()
    throw error
  }
  return { main: mainIn(folder), remove }
}

const mainIn = (folder: string): URL => new URL('packages/server/src/main.ts', pathToFileURL(`${folder}/`))
