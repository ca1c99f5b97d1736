import { open, writeFile } from 'node:fs/promises'
import type { Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { limits } from '../core/lib/limits.ts'
import { readBytes } from '../move/rows/files.ts'
import { newAsk, type Service } from '../move/shadow/ask.ts'
import { newObserver } from '../move/shadow/observer.ts'
import { newProxy } from '../move/shadow/proxy.ts'
import { replayLog } from '../move/shadow/replay.ts'
import { differenceText, reportText, type ShadowReport, Tally } from '../move/shadow/report.ts'
import { shadowUsage } from './help.ts'
import { isInTheClear } from './in-the-clear.ts'
import type { CommandEnvironment } from './outside.ts'

export interface ShadowOptions {
  /** The log to replay, or of the proxy the log to append to. */
  log?: string | undefined
  base?: string | undefined
  'app-id'?: string | undefined
  'app-token'?: string | undefined
  /** A file for the report as JSON. */
  report?: string | undefined
  redeem?: boolean | undefined
  listen?: string | undefined
  upstream?: string | undefined
}

/** Compares our answers with those of the present service: from a log, or as a proxy until `stopped`. */
export async function shadowCommand(
  { settings, say }: CommandEnvironment,
  options: ShadowOptions,
  stopped: () => Promise<void> = signalled,
): Promise<void> {
  const { log, listen, upstream, redeem = false } = options
  const service = serviceOf(options, settings.port)
  const ask = newAsk(service)
  warnOf('--base', service.base)
  // At once, and not when hours of traffic are to be told.
  if (options.report !== undefined) await makePrivate(options.report)
  if (listen !== undefined && upstream !== undefined) {
    if (log !== undefined) await makePrivate(log)
    const tally = new Tally((difference, example) => say(differenceText(difference, example)))
    const observer = newObserver({ ask, tally, log: log ?? null, redeem, onError: newTeller(say) })
    const server = newProxy(upstreamOf(upstream), observer)
    warnOf('--upstream', upstream)
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(addressOf(listen), resolve)
    })
    const { address, port, family } = server.address() as AddressInfo
    say(`Passing requests to http://${family === 'IPv6' ? `[${address}]` : address}:${port} on to ${upstream}.\n`)
    await stopped()
    await closed(server)
    await observer.drain()
    return tell(tally.report(), options, say)
  }
  if (log === undefined || listen !== undefined || upstream !== undefined) throw new Error(shadowUsage)
  const report = await replayLog(readBytes(log), ask, { redeem, as_of: true })
  await tell(report, options, say)
  if (report.compared === 0) throw new Error(`${log} has no validation and no redemption that could be compared.`)
  const different = report.compared - report.equal
  if (different > 0) throw new Error(`${different} of ${report.compared} answers differ.`)
}

/** Says each text once: a full disk fails every line of the log. */
function newTeller(say: (text: string) => void): (text: string) => void {
  const said = new Set<string>()
  return (text) => {
    if (said.has(text) || said.size === errorsMax) return
    said.add(text)
    say(`${text}\n`)
  }
}

const errorsMax = 20

/** Lets requests end that are under way; but one that hangs must not keep the report back. */
async function closed(server: Server): Promise<void> {
  const all = setTimeout(() => server.closeAllConnections(), limits.shadow_answer_ms)
  await new Promise((resolve) => {
    server.close(resolve)
    server.closeIdleConnections()
  })
  clearTimeout(all)
}

/** On standard error: the report may be read by a program. */
function warnOf(option: string, address: string): void {
  if (isInTheClear(address))
    process.stderr.write(`The keys and the requests are sent without encryption: ${option} is http.\n`)
}

/** Makes a file that can be written, and that only its owner can read, also if it exists; says so at once if it cannot. */
async function makePrivate(path: string): Promise<void> {
  const file = await open(path, 'a', 0o600)
  try {
    if ((await file.stat()).isFile()) await file.chmod(0o600)
  } finally {
    await file.close()
  }
}

async function tell(report: ShadowReport, { report: file }: ShadowOptions, say: (text: string) => void): Promise<void> {
  say(reportText(report))
  if (file !== undefined) await writeFile(file, `${JSON.stringify(report, null, 2)}\n`, { mode: 0o600 })
}

function serviceOf({ base, 'app-id': appId, 'app-token': appToken }: ShadowOptions, port: number): Service {
  if (appId === undefined || appToken === undefined) throw new Error(shadowUsage)
  const address = base ?? `http://127.0.0.1:${port}`
  if (!URL.canParse(address)) throw new Error(`--base is not an address: ${address}`)
  return { base: address, app_id: appId, app_token: appToken }
}

function upstreamOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new Error(`--upstream is not an http or https address: ${text}`)
  return url
}

/** `9000` listens on the loopback; other addresses are named: `0.0.0.0:9000`, `[::]:9000`. */
function addressOf(text: string): { host: string; port: number } {
  const match = /^(?:(.+):)?(\d{1,5})$/.exec(text)
  const port = Number(match?.[2])
  if (match === null || port > 65_535) throw new Error(`--listen is PORT or HOST:PORT, not ${text}.`)
  return { host: match[1]?.replace(/^\[|\]$/g, '') ?? '127.0.0.1', port }
}

const signalled = (): Promise<void> =>
  new Promise((resolve) => {
    process.once('SIGINT', () => resolve())
    process.once('SIGTERM', () => resolve())
  })
