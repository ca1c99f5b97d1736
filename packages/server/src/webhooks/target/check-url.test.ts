import { expect, test } from 'vitest'
import { ApiError } from '../../core/http/errors.ts'
import { checkTargetUrl } from './check-url.ts'
import type { Lookup } from './lookup.ts'

/** Names of the table, as a DNS server would resolve them. */
const names: Record<string, string[]> = {
  'public.example': ['93.184.215.14', '2606:2800:21f:cb07:6820:80da:af6b:8b2c'],
  'private.example': ['10.0.0.7'],
  'both.example': ['93.184.215.14', '192.168.1.1'],
  'six.example': ['fd00::1'],
  'mapped.example': ['::ffff:169.254.169.254'],
  '127.0.0.1.sslip.example': ['127.0.0.1'],
}

const lookup: Lookup = async (hostname) => {
  const found = names[hostname]
  if (found === undefined) throw Object.assign(new Error(`queryA ENOTFOUND ${hostname}`), { code: 'ENOTFOUND' })
  return found.map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
}

/** The part of the refusal after `Property .target_url`, or null. */
async function refusalOf(url: string, { allow_private = false, names: look = lookup } = {}): Promise<string | null> {
  const error = await checkTargetUrl(url, { allow_private, lookup: look }).then(
    () => null,
    (refused: ApiError) => refused,
  )
  if (error === null) return null
  expect(error).toBeInstanceOf(ApiError)
  expect({ status: error.status, key: error.key }).toEqual({ status: 400, key: 'invalid_payload' })
  expect(error.facts.errors).toEqual([{ path: '.target_url', details: error.facts.details }])
  return (error.facts.details as string).replace('Property .target_url ', '')
}

const invalid = 'must be a valid URL'
const credentials = 'must not contain a user name or a password'
const isPrivate = (sentence: string) => `must lead to a public address: ${sentence}`
const loopback = isPrivate('the address 127.0.0.1 is loopback')

test.each([
  'https://public.example/hooks?shop=1#part',
  'http://public.example:8080/',
  'HTTPS://PUBLIC.EXAMPLE/',
  'https://public.example:65535/',
  'https://public.example./',
  'https://8.8.8.8/',
  'https://[2606:4700:4700::1111]:8443/',
  'http://[::ffff:8.8.8.8]/',
  'https://bücher.example/',
  'https://not-yet.example/',
  'https://localhost.example/',
  'https://notlocalhost/',
  `https://public.example/${'a'.repeat(2_048 - 'https://public.example/'.length)}`,
])('%s is accepted', async (url) => {
  expect(await refusalOf(url)).toBeNull()
})

test.each([
  ['', invalid],
  ['shop.example/hooks', invalid],
  ['//public.example/', invalid],
  ['ftp://public.example/', invalid],
  ['file:///etc/passwd', invalid],
  ['javascript:alert(1)', invalid],
  ['data:text/plain,a', invalid],
  ['unix:///var/run/docker.sock', invalid],
  ['https://', invalid],
  ['http:/public.example/', invalid],
  ['http:public.example', invalid],
  ['http:\\\\public.example', invalid],
  ['http://public.example:0/', invalid],
  ['http://public.example:65536/', invalid],
  ['http://[fe80::1%25eth0]/', invalid],
  ['http://[::1', invalid],
  ['http://1.2.3.4.5/', invalid],
  ['http://256.0.0.1/', invalid],
  ['http://4294967296/', invalid],
  ['http://public.example\r\nHost: internal/', invalid],
  ['http://pub\tlic.example/', invalid],
  [' http://public.example/', invalid],
  ['http://public.example/a b', invalid],
  ['https://user@public.example/', credentials],
  ['https://user:secret@public.example/', credentials],
  ['https://:secret@public.example/', credentials],
  ['https://public.example:80@10.0.0.1/', credentials],
  [`https://public.example/${'a'.repeat(2_048)}`, 'must NOT have more than 2048 characters'],
])('%j: %s', async (url, refusal) => {
  expect(await refusalOf(url)).toBe(refusal)
  expect(await refusalOf(url, { allow_private: true })).toBe(refusal)
})

test.each([
  // Every notation of a loopback address.
  ['http://127.0.0.1/', loopback],
  ['https://127.0.0.1:8443/', loopback],
  ['http://127.0.0.1./', loopback],
  ['http://127.1/', loopback],
  ['http://127.0.1/', loopback],
  ['http://2130706433/', loopback],
  ['http://0x7f000001/', loopback],
  ['http://0x7f.1/', loopback],
  ['http://0X7F.0x0.0x0.0x1/', loopback],
  ['http://0177.0.0.1/', loopback],
  ['http://017700000001/', loopback],
  ['http://00000177.0.0.01/', loopback],
  ['http://127。0。0。1/', loopback],
  ['http://127．0．0．1/', loopback],
  ['http://１２７.0.0.1/', loopback],
  ['http://①②⑦.⓪.⓪.①/', loopback],
  ['http://%31%32%37.0.0.1/', loopback],
  ['http://127.0.0.1\\@public.example/', loopback],
  ['http://127.0.0.1#@public.example/', loopback],
  ['http://127.0.0.1?@public.example/', loopback],
  ['http://127.255.255.254/', isPrivate('the address 127.255.255.254 is loopback')],
  ['http://0/', isPrivate('the address 0.0.0.0 is unspecified')],
  ['http://0.0.0.0:80/', isPrivate('the address 0.0.0.0 is unspecified')],
  ['http://[::]/', isPrivate('the address :: is unspecified')],
  ['http://[::1]/', isPrivate('the address ::1 is loopback')],
  ['http://[0:0:0:0:0:0:0:1]/', isPrivate('the address ::1 is loopback')],
  ['http://[::ffff:127.0.0.1]/', isPrivate('the address ::ffff:7f00:1 is loopback')],
  ['http://[::ffff:7f00:1]/', isPrivate('the address ::ffff:7f00:1 is loopback')],
  ['http://[::127.0.0.1]/', isPrivate('the address ::7f00:1 is an embedded IPv4 address')],
  ['http://[64:ff9b::127.0.0.1]/', isPrivate('the address 64:ff9b::7f00:1 is loopback')],
  ['http://[2002:7f00:1::]/', isPrivate('the address 2002:7f00:1:: is an embedded IPv4 address')],
  // Private, link-local, metadata.
  ['http://10.1.2.3/', isPrivate('the address 10.1.2.3 is private')],
  ['http://172.16.0.1/', isPrivate('the address 172.16.0.1 is private')],
  ['http://192.168.1/', isPrivate('the address 192.168.0.1 is private')],
  ['http://0xa9fea9fe/latest/meta-data/', isPrivate('the address 169.254.169.254 is link-local')],
  ['http://[fe80::1]/', isPrivate('the address fe80::1 is link-local')],
  ['http://[fd00:ec2::254]/', isPrivate('the address fd00:ec2::254 is private')],
  ['http://100.100.100.200/', isPrivate('the address 100.100.100.200 is shared by a provider')],
  ['http://168.63.129.16/', isPrivate('the address 168.63.129.16 is a metadata service')],
  ['http://255.255.255.255/', isPrivate('the address 255.255.255.255 is reserved')],
  // Names.
  ['http://localhost/', isPrivate('the name localhost is loopback')],
  ['http://LOCALHOST:3000/', isPrivate('the name localhost is loopback')],
  ['http://localhost./', isPrivate('the name localhost is loopback')],
  ['http://foo.localhost/', isPrivate('the name foo.localhost is loopback')],
  ['http://ｌocalhost/', isPrivate('the name localhost is loopback')],
  ['http://private.example/', isPrivate('the address 10.0.0.7 is private')],
  ['http://private.example./', isPrivate('the address 10.0.0.7 is private')],
  ['http://PRIVATE.example/', isPrivate('the address 10.0.0.7 is private')],
  ['http://both.example/', isPrivate('the address 192.168.1.1 is private')],
  ['http://six.example/', isPrivate('the address fd00::1 is private')],
  ['http://mapped.example/', isPrivate('the address ::ffff:169.254.169.254 is link-local')],
  ['http://127.0.0.1.sslip.example/', loopback],
])('%s is refused, unless private targets are allowed', async (url, refusal) => {
  expect(await refusalOf(url)).toBe(refusal)
  expect(await refusalOf(url, { allow_private: true })).toBeNull()
})

test('a name whose server never answers is accepted', async () => {
  expect(await refusalOf('https://slow.example/', { names: () => new Promise(() => {}) })).toBeNull()
})

test('where private targets are allowed, nothing is resolved', async () => {
  const names: Lookup = () => Promise.reject(new Error('resolved'))
  expect(await refusalOf('https://public.example/', { allow_private: true, names })).toBeNull()
})
