import { expect, test } from 'vitest'
import { checkDatabaseUrl, databaseNamed, serversOf } from './database-url.ts'

const one = (url: string) => [url]

test.each([
  ['one host', 'postgres://me:pw@db:5433/shop', one('postgres://me:pw@db:5433/shop'), null],
  ['no host', 'postgres:///shop', one('postgres:///shop'), null],
  ['a socket', 'postgres:///shop?host=/run/db', one('postgres:///shop?host=/run/db'), null],
  [
    'one host that has to be writable, such as an address that moves',
    'postgres://me:pw@db/shop?target_session_attrs=read-write',
    one('postgres://me:pw@db/shop?target_session_attrs=read-write'),
    'read-write',
  ],
  [
    'several hosts, each with its port',
    'postgresql://me:pw@one:5432,two:5433,three/shop?target_session_attrs=primary&sslmode=disable',
    [
      'postgresql://me:pw@one:5432/shop?target_session_attrs=primary&sslmode=disable',
      'postgresql://me:pw@two:5433/shop?target_session_attrs=primary&sslmode=disable',
      'postgresql://me:pw@three/shop?target_session_attrs=primary&sslmode=disable',
    ],
    'primary',
  ],
  [
    'several hosts of which nothing is asked have to be writable',
    'postgres://one,two/shop',
    ['postgres://one/shop', 'postgres://two/shop'],
    'read-write',
  ],
  [
    'any host of several',
    'postgres://one,two/shop?target_session_attrs=any',
    ['postgres://one/shop?target_session_attrs=any', 'postgres://two/shop?target_session_attrs=any'],
    'any',
  ],
  [
    'addresses of IPv6, and a password with a comma and an at sign',
    'postgres://me:a,b%40c@[::1]:5433,[fe80::2]/shop',
    ['postgres://me:a,b%40c@[::1]:5433/shop', 'postgres://me:a,b%40c@[fe80::2]/shop'],
    'read-write',
  ],
  [
    'hosts and ports as parameters',
    'postgres:///shop?host=one,two&port=5432,5433',
    ['postgres:///shop?host=one&port=5432', 'postgres:///shop?host=two&port=5433'],
    'read-write',
  ],
  [
    'one port for all hosts',
    'postgres:///shop?host=one,two&port=5433',
    ['postgres:///shop?host=one&port=5433', 'postgres:///shop?host=two&port=5433'],
    'read-write',
  ],
])('%s', (_, url, urls, attributes) => {
  expect(serversOf(url)).toEqual({ urls, attributes })
  expect(checkDatabaseUrl(url)).toBe(url)
})

test.each([
  ['mysql://me:secret@one,two/shop', 'must be a URL that begins with postgres:// or postgresql://'],
  ['postgres://me:secret/x@one,two/shop', 'must be a URL that begins with postgres:// or postgresql://'],
  ['postgres://me:secret@one,,two/shop', 'host 2 of 3 is empty'],
  ['postgres://me:secret@one,two:port/shop', 'host 2 of 2 is not valid'],
  ['postgres://me:secret@one:99999,two/shop', 'host 1 of 2 is not valid'],
  ['postgres://me:secret@one,two/shop?port=1,2,3', 'the parameter port lists 3 ports for 2 hosts'],
  ['postgres:///shop?host=one,&password=secret', 'the parameter host lists an empty host'],
  [
    'postgres://me:secret@one,two/shop?target_session_attrs=standby',
    'target_session_attrs must be one of read-write, primary, any, not "standby": a node has to write',
  ],
  [
    'postgres://me:secret@one/shop?target_session_attrs=write',
    'target_session_attrs must be one of read-write, primary, any, not "write"',
  ],
  ['postgres://me:secret@one,two/shop?sslmode=maybe', /^sslmode must be one of/],
  ['postgres://me:secret@one,two/shop?sslrootcert=/nowhere.pem', /^sslrootcert cannot be read/],
])('%s is refused, and the password is not repeated', (url, message) => {
  const refusal = (() => {
    try {
      return checkDatabaseUrl(url)
    } catch (error) {
      return (error as Error).message
    }
  })()
  expect(refusal).toMatch(message)
  expect(refusal).not.toContain('secret')
})

test.each([
  ['postgres://me:secret@one:5432,two:5433/shop?target_session_attrs=any', 'me@one:5432,two:5433/shop'],
  ['postgres:///shop?host=one,two&port=5433', 'one:5433,two:5433/shop'],
  ['postgres:///shop', 'localhost/shop'],
  ['postgres://me@db/shop', 'me@db/shop'],
])('messages call %s "%s"', (url, name) => {
  expect(databaseNamed(url)).toBe(name)
})
