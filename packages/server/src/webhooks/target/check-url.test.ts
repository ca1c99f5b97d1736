import { expect, onTestFinished, test, vi } from 'vitest'
import { ApiError } from '../../core/http/errors.ts'
import { lookupOfTests, privateTargets } from '../../testing/private-targets.ts'
import { checkTargetUrl } from './check-url.ts'
import type { Lookup } from './lookup.ts'

/** The part of the refusal after `Property .target_url`, or null. */
async function refusalOf(
  url: string,
  { allow_private = false, names: look = lookupOfTests } = {},
): Promise<string | null> {
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

test.each(privateTargets)('%s is refused, unless private targets are allowed', async (url, why) => {
  expect(await refusalOf(url)).toBe(
    `must lead to a public address, unless WEBHOOK_ALLOW_PRIVATE_TARGETS is set: ${why}`,
  )
  expect(await refusalOf(url, { allow_private: true })).toBeNull()
})

test('a name whose server never answers is accepted', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const refusal = refusalOf('https://slow.example/', { names: () => new Promise(() => {}) })
  await vi.advanceTimersByTimeAsync(2_000)
  expect(await refusal).toBeNull()
})

test('where private targets are allowed, nothing is resolved', async () => {
  const names: Lookup = () => Promise.reject(new Error('resolved'))
  expect(await refusalOf('https://public.example/', { allow_private: true, names })).toBeNull()
})
