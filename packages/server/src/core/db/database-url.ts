import { readFileSync } from 'node:fs'

const sslModes = ['disable', 'prefer', 'require', 'verify-ca', 'verify-full', 'no-verify']

/** Checks a URL of PostgreSQL and the files that it names, or throws an error that does not repeat it: it contains a password. */
export function checkDatabaseUrl(text: string): string {
  if (!/^postgres(ql)?:\/\//.test(text) || !URL.canParse(text))
    throw new Error('must be a URL that begins with postgres:// or postgresql://')
  const { searchParams } = new URL(text)
  const sslMode = searchParams.get('sslmode')
  if (sslMode !== null && !sslModes.includes(sslMode))
    throw new Error(`sslmode must be one of ${sslModes.join(', ')}, not "${sslMode}"`)
  for (const name of ['sslrootcert', 'sslcert', 'sslkey']) {
    const file = searchParams.get(name)
    if (file !== null) checkFile(name, file)
  }
  return text
}

/** The URLs of a list separated by commas. Such a URL may have commas of its own, between hosts. */
export function readUrls(text: string): string[] {
  const urls = text.split(/,(?=\s*postgres(?:ql)?:\/\/)/).map((url) => checkDatabaseUrl(url.trim()))
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
 * The URL as the driver expects it. To the driver, `prefer`, `require` and `verify-ca` mean `verify-full`, with a warning that
 * this will change: naming what is meant keeps both away. `uselibpqcompat=true` chooses the meaning of libpq.
 */
export function driverUrl(databaseUrl: string): string {
  const url = new URL(databaseUrl)
  const sslMode = url.searchParams.get('sslmode')
  if (url.searchParams.get('uselibpqcompat') === 'true' || !['prefer', 'require', 'verify-ca'].includes(sslMode ?? ''))
    return databaseUrl
  url.searchParams.set('sslmode', 'verify-full')
  return url.href
}

/** The database that a URL names, for messages: without the password and the parameters. */
export function databaseNamed(databaseUrl: string): string {
  const { username, host, pathname, searchParams } = new URL(databaseUrl)
  return `${username === '' ? '' : `${username}@`}${host || (searchParams.get('host') ?? 'localhost')}${pathname}`
}
