import { expect, test } from 'vitest'
import { accessOf, addressesIn, firstCall, wrongAddress } from './key-words.ts'

test('addresses one per line or behind commas', () => {
  expect(addressesIn(' 192.0.2.1\n10.0.0.0/8, 2001:db8::/32 ;\n\n')).toEqual([
    '192.0.2.1',
    '10.0.0.0/8',
    '2001:db8::/32',
  ])
  expect(addressesIn('')).toEqual([])
})

test('the first call fetches a token and uses it with the key', () => {
  const text = firstCall('https://guerdon.example', { kind: 'server', app_id: 'id-1', secret: 'secret-1' })
  expect(text.split('\n').slice(0, 2)).toEqual(["APP_ID='id-1'", "APP_TOKEN='secret-1'"])
  expect(text).toContain("curl -sS 'https://guerdon.example/v1/oauth/token'")
  expect(text).toContain("curl 'https://guerdon.example/v1/campaigns?limit=1'")
  expect(firstCall('https://guerdon.example', { kind: 'client', app_id: 'i', secret: 's' })).toContain(
    'scope=client_api',
  )
})

test('what is no address', () => {
  expect(wrongAddress(['192.0.2.1', '10.0.0.0/8', '2001:db8::/32', '::1', '::ffff:192.0.2.1'])).toBe(undefined)
  expect(wrongAddress(['192.0.2.1', 'office'])).toBe('office')
  expect(wrongAddress(['10.0.0.1-10.0.0.9'])).toBe('10.0.0.1-10.0.0.9')
})

test('roles of keys are two kinds of access', () => {
  expect(['ADMIN', 'USER', 'USER_RESTRICTED', 'MERCHANT', 'VIEWER'].map(accessOf)).toEqual([
    'change',
    'change',
    'change',
    'read',
    'read',
  ])
})
