#!/usr/bin/env node
import cluster from 'node:cluster'
import { parseArgs } from 'node:util'
import {
  archiveUsage,
  auditLogUsage,
  exportUsage,
  helpFor,
  importAccountUsage,
  importUsage,
  keysUsage,
  shadowUsage,
  statisticsUsage,
  usersUsage,
  whyNotOptions,
} from './command-line/help.ts'
import type { CommandEnvironment } from './command-line/outside.ts'
import { printable } from './command-line/printable.ts'
import type { ServeOptions } from './command-line/serve.ts'
import { workersWanted } from './command-line/workers/how-many.ts'
import { whyNotNode } from './core/lib/supported-node.ts'
import { engine, version } from './core/lib/version.ts'
import { pastThePooler, readSettings } from './core/settings.ts'

/** Parses the command line and runs the command. Only this file reads arguments and environment and sets up standard output. */
async function main(): Promise<void> {
  const { values, positionals } = parseArgs({
    allowPositionals: true,
    options: {
      help: { type: 'boolean', short: 'h' },
      version: { type: 'boolean', short: 'v' },
      project: { type: 'string' },
      name: { type: 'string' },
      kind: { type: 'string' },
      role: { type: 'string' },
      owner: { type: 'boolean' },
      no: { type: 'boolean' },
      'second-factor': { type: 'boolean' },
      'first-name': { type: 'string' },
      'last-name': { type: 'string' },
      each: { type: 'boolean' },
      demo: { type: 'boolean' },
      out: { type: 'string' },
      gzip: { type: 'boolean' },
      as: { type: 'string' },
      base: { type: 'string' },
      'app-id': { type: 'string' },
      'app-token': { type: 'string' },
      log: { type: 'string' },
      report: { type: 'string' },
      redeem: { type: 'boolean' },
      listen: { type: 'string' },
      upstream: { type: 'string' },
      folder: { type: 'string' },
      only: { type: 'string' },
      before: { type: 'string' },
      drop: { type: 'boolean' },
      read: { type: 'string' },
      restore: { type: 'string' },
      'management-id': { type: 'string' },
      'management-token': { type: 'string' },
      'management-project': { type: 'string' },
      check: { type: 'boolean' },
      shards: { type: 'string' },
    },
  })
  const [command = 'serve', ...rest] = positionals
  const name = command === 'import' && rest[0] === 'voucherify' ? 'import voucherify' : command
  if (values.help) return say(helpFor(positionals.length === 0 ? undefined : name))
  if (values.version) return say(`${version}\n`)
  const refusal = whyNotOptions(name, Object.keys(values))
  if (refusal !== null) throw new Error(refusal)
  if (command === 'replay') return (await import('./command-line/replay.ts')).replayCommand(rest, values, say)
  // A shadow opens no database: of the settings it needs the port of the service on this machine.
  const given = command === 'shadow' ? { PORT: process.env.PORT } : process.env
  const settings = command === 'serve' ? readSettings(given) : pastThePooler(readSettings(given))
  const environment = { settings, is_terminal: process.stdout.isTTY === true, say }
  // Each command is imported only when it runs: importing the service takes a second, which --help should not take.
  if (command === 'serve' && rest.length === 0)
    return serve(environment, { demo: values.demo, project: values.project })
  if (command === 'demo' && rest.length === 0)
    return (await import('./command-line/demo.ts')).demoCommand(environment, values)
  if (command === 'migrate' && rest.length === 0)
    return (await import('./command-line/migrate.ts')).migrateCommand(environment)
  if (command === 'distribute' && rest.length === 0) {
    process.exitCode = await (await import('./command-line/distribute.ts')).distributeCommand(environment, values)
    return
  }
  if (command === 'keys') {
    const [verb, id, ...more] = rest
    if (!isKeysCall(verb, id, more)) throw new Error(keysUsage)
    return (await import('./command-line/keys.ts')).keys(environment, verb, id, values)
  }
  if (command === 'users') {
    const [verb, email, ...more] = rest
    if (!isUsersCall(verb, email, more)) throw new Error(usersUsage)
    return (await import('./command-line/users.ts')).users(environment, verb, email, values)
  }
  if (command === 'audit-log') {
    const [verb, text, ...more] = rest
    if (verb !== 'erase' || text === undefined || more.length > 0) throw new Error(auditLogUsage)
    return (await import('./command-line/audit-log.ts')).eraseAuditLog(environment, text, values)
  }
  if (command === 'statistics') {
    if (rest.join() !== 'rebuild') throw new Error(statisticsUsage)
    return (await import('./command-line/statistics.ts')).rebuildCommand(environment, values)
  }
  if (command === 'export') {
    if (rest.length > 0) throw new Error(exportUsage)
    return (await import('./command-line/export-project.ts')).exportCommand(environment, values, process.stdout)
  }
  if (command === 'archive') {
    const { before, read, restore } = values
    if (rest.length > 0 || [before, read, restore].filter((value) => value !== undefined).length !== 1)
      throw new Error(archiveUsage)
    const archive = await import('./command-line/archive.ts')
    if (read !== undefined) return archive.readArchiveCommand(read, process.stdout)
    if (restore !== undefined) return archive.restoreArchiveCommand(environment, restore)
    return archive.archiveCommand(environment, values)
  }
  // In the environment secrets are not in the list of processes.
  const account = {
    ...values,
    'app-token': values['app-token'] ?? process.env.GUERDON_APP_TOKEN,
    'management-token': values['management-token'] ?? process.env.GUERDON_MANAGEMENT_TOKEN,
  }
  if (command === 'import' && rest[0] === 'voucherify') {
    if (rest.length > 1) throw new Error(importAccountUsage)
    process.exitCode = await (await import('./command-line/import-account.ts')).importAccountCommand(
      environment,
      account,
    )
    return
  }
  if (command === 'import') {
    const [file, ...more] = rest
    if (file === undefined || more.length > 0) throw new Error(importUsage)
    return (await import('./command-line/import-project.ts')).importCommand(environment, file, values, process.stdin)
  }
  if (command === 'shadow') {
    if (rest.length > 0) throw new Error(shadowUsage)
    return (await import('./command-line/shadow.ts')).shadowCommand(environment, account)
  }
  throw new Error(`Unknown command "${positionals.join(' ')}". Try guerdon --help.`)
}

/** In one process, or as a supervisor of several workers, or as one of these. */
async function serve(environment: CommandEnvironment, options: ServeOptions): Promise<void> {
  if (cluster.isWorker) return (await import('./command-line/workers/work.ts')).work(environment, options)
  const workers = workersWanted(environment.settings, { is_installed: import.meta.filename.endsWith('.js') })
  if (workers === 1) return (await import('./command-line/serve.ts')).serve(environment, options)
  process.exitCode = await (await import('./command-line/workers/supervise.ts')).supervise(environment, workers)
}

const say = (text: string): void => void process.stdout.write(printable(text))

/** Whether the arguments after `keys` are valid; checked before the database is opened. */
function isKeysCall(
  verb: string | undefined,
  id: string | undefined,
  more: string[],
): verb is 'list' | 'create' | 'revoke' {
  if (more.length > 0) return false
  return verb === 'revoke' ? id !== undefined : (verb === 'list' || verb === 'create') && id === undefined
}

/** Whether the arguments after `users` are valid; checked before the database is opened. */
function isUsersCall(
  verb: string | undefined,
  email: string | undefined,
  more: string[],
): verb is 'list' | 'invite' | 'reset' | 'owner' | 'remove' {
  if (more.length > 0) return false
  if (verb === 'list') return email === undefined
  return ['invite', 'reset', 'owner', 'remove'].includes(verb ?? '') && email !== undefined
}

// `guerdon keys list | head -1` closes the pipe before everything is printed. Without a listener, EPIPE would end the process with a
// stack trace. The command still completes, so the database is closed properly and the exit code is that of the command.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') return
  // Such as a full disk. What was printed is not complete, and a stack trace would not say more.
  process.stderr.write(`Standard output: ${error.message}\n`)
  process.exit(1)
})

const unsupported = whyNotNode(process.version, engine)
if (unsupported !== null) {
  // At once: on such a Node the service would start, and fail where it meets what that Node lacks.
  process.stderr.write(`${unsupported}\n`)
  process.exit(1)
}
try {
  await main()
} catch (error) {
  process.stderr.write(printable(`${(error as Error).message}\n`))
  process.exitCode = 1
  // The channel to its supervisor would keep a worker alive.
  if (cluster.isWorker) process.exit()
}
