import { readFileSync } from 'node:fs'

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** What a server must be for a connection to it to be kept (`target_session_attrs` of libpq). */
export type SessionAttributes = (typeof sessionAttributes)[number]

const sessionAttributes = ['any', 'read-write', 'primary'] as const

/** Of libpq too, but a node has to write. */
const readingAttributes = ['read-only', 'standby', 'prefer-standby']

/** The servers that a URL names. */
export interface NamedServers {
  /** A URL for each, in the order in which the URL names them. */
  urls: readonly [string, ...string[]]
  /** Null: the URL names one server and asks nothing of it. */
  attributes: SessionAttributes | null
}

/** Checks a URL of PostgreSQL and the files that it names, or throws an error that does not repeat it: it contains a password. */
export function checkDatabaseUrl(text: string): string {
  const { urls } = serversOf(text)
  const { searchParams } = new URL(urls[0])
  const sslMode = searchParams.get('sslmode')
  if (sslMode !== null && !sslModes.includes(sslMode))
    throw new Error(`sslmode must be one of ${sslModes.join(', ')}, not "${sslMode}"`)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name)
    if (file !== null) checkFile(name, file)
  }
  return text
}

/** The URLs of a list separated by commas, each of one server: which of several a URL leads to would change unnoticed. */
export function readUrls(text: string): string[] {
  const urls = text.split(/,(?=\s*postgres(?:ql)?:\/\/)/).map((url) => checkDatabaseUrl(url.trim()))
  if (urls.some((url) => serversOf(url).attributes !== null))
    throw new Error('each URL must name one server, without target_session_attrs')
  const names = new Set(urls.map(databaseNamed))
  if (names.size < urls.length) throw new Error('names a replica twice')
  return urls
}

function checkFile(name: string, file: string): void {
  try {
    readFileSync(file)
  } catch (error) {
    throw new Error(`${name} cannot be read: ${(error as Error).message}`)
  }
}

/**
 * The servers of a URL, which may name several hosts as libpq does: `postgres://user:pw@one:5432,two:5433/db`, or the parameters
 * `host=one,two&port=5432,5433`. Several hosts are asked to be `read-write` unless the URL says otherwise: with the `any` of libpq, a
 * node would settle on a standby that answers first.
 */
export function serversOf(databaseUrl: string): NamedServers {
  const parts = /^(postgres(?:ql)?:\/\/(?:[^/?#]*@)?)([^/?#]*)(.*)$/s.exec(databaseUrl)
  if (parts === null) throw notAUrl()
  const [, beginning, authority, rest] = parts as unknown as [string, string, string, string]
  const urls = authority.split(',').map((host, index, { length }) => {
    if (host === '' && length > 1) throw new Error(`host ${index + 1} of ${length} is empty`)
    const url = `${beginning}${host}${rest}`
    if (!URL.canParse(url)) throw length === 1 ? notAUrl() : new Error(`host ${index + 1} of ${length} is not valid`)
    return url
  })
  const named = withListedHosts(urls as [string, ...string[]])
  const wanted = new URL(named[0]).searchParams.get('target_session_attrs')
  if (wanted === null) return { urls: named, attributes: named.length === 1 ? null : 'read-write' }
  const attributes = sessionAttributes.find((known) => known === wanted)
  if (attributes !== undefined) return { urls: named, attributes }
  const reason = readingAttributes.includes(wanted) ? ': a node has to write' : ''
  throw new Error(`target_session_attrs must be one of read-write, primary, any, not "${wanted}"${reason}`)
}

const notAUrl = (): Error => new Error('must be a URL that begins with postgres:// or postgresql://')

/** The parameters `host` and `port` take precedence over the hosts before the path, and may be lists. */
function withListedHosts(urls: NamedServers['urls']): NamedServers['urls'] {
  const { searchParams } = new URL(urls[0])
  const hosts = searchParams.get('host')?.split(',') ?? null
  const ports = searchParams.get('port')?.split(',') ?? null
  const count = hosts?.length ?? urls.length
  if (ports !== null && ports.length !== 1 && ports.length !== count)
    throw new Error(`the parameter port lists ${ports.length} ports for ${count} hosts`)
  if ((hosts?.length ?? 1) === 1 && (ports?.length ?? 1) === 1) return hosts === null ? urls : [urls[0]]
  if (hosts?.includes('')) throw new Error('the parameter host lists an empty host')
  return Array.from({ length: count }, (_, index) => {
    const url = new URL(hosts === null ? (urls[index] as string) : urls[0])
    if (hosts !== null) url.searchParams.set('host', hosts[index] as string)
    if (ports !== null) url.searchParams.set('port', (ports.length === 1 ? ports[0] : ports[index]) as string)
    return url.href
  }) as [string, ...string[]]
}

/**
 * The URL of one server as the driver expects it. To the driver, `prefer`, `require` and `verify-ca` mean `verify-full`, with a
 * warning that this will change: naming what is meant keeps both away. `uselibpqcompat=true` chooses the meaning of libpq.
 */
export function driverUrl(serverUrl: string): string {
  const url = new URL(serverUrl)
  const sslMode = url.searchParams.get('sslmode')
  if (url.searchParams.get('uselibpqcompat') === 'true' || !['prefer', 'require', 'verify-ca'].includes(sslMode ?? ''))
    return serverUrl
  url.searchParams.set('sslmode', 'verify-full')
  return url.href
}

/** The database that a URL names, for messages: without the password and the parameters. */
export function databaseNamed(databaseUrl: string): string {
  const { urls } = serversOf(databaseUrl)
  const { username, pathname } = new URL(urls[0])
  return `${username === '' ? '' : `${username}@`}${urls.map(serverNamed).join(',')}${pathname}`
}

/** Host and port of one server, for messages. */
export function serverNamed(serverUrl: string): string {
  const { host, searchParams } = new URL(serverUrl)
  const [named, port] = [searchParams.get('host'), searchParams.get('port')]
  return `${named ?? (host || 'localhost')}${port === null ? '' : `:${port}`}`
}
