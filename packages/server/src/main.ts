#!/usr/bin/env node
import { parseArgs } from 'node:util'
import { help, keysUsage } from './command-line/help.ts'
import { version } from './core/lib/version.ts'
import { readSettings } from './core/settings.ts'

/** The only place that knows the outside: arguments, environment, standard output, exit code. */
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
      each: { type: 'boolean' },
    },
  })
  if (values.help) return say(help)
  if (values.version) return say(`${version}\n`)
  const [command = 'serve', ...rest] = positionals
  if (command === 'replay') return (await import('./command-line/replay.ts')).replayCommand(rest, values, say)
  const outside = { settings: readSettings(process.env), say }
  // Each command is loaded when it is asked for: the service weighs a second, its help should not.
  if (command === 'serve' && rest.length === 0) return (await import('./command-line/serve.ts')).serve(outside)
  if (command === 'migrate' && rest.length === 0)
    return (await import('./command-line/migrate.ts')).migrateCommand(outside)
  if (command === 'keys') {
    const [verb, id, ...more] = rest
    if (!isKeysCall(verb, id, more)) throw new Error(keysUsage)
    return (await import('./command-line/keys.ts')).keys(outside, verb, id, values)
  }
  throw new Error(`Unknown command "${positionals.join(' ')}". Try guerdon --help.`)
}

const say = (text: string): void => void process.stdout.write(text)

/** Whether the words after `keys` make sense, before any database is opened. */
function isKeysCall(
  verb: string | undefined,
  id: string | undefined,
  more: string[],
): verb is 'list' | 'create' | 'revoke' {
  if (more.length > 0) return false
  return verb === 'revoke' ? id !== undefined : (verb === 'list' || verb === 'create') && id === undefined
}

try {
  await main()
} catch (error) {
  process.stderr.write(`${(error as Error).message}\n`)
  process.exitCode = 1
}
