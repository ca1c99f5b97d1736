import { expect, test } from 'vitest'
import { newProject } from '../../testing/app.ts'
import { meantPathFinder } from './meant-path.ts'

const paths = ['/v1/vouchers', '/v1/vouchers/{code}', '/v1/vouchers/import', '/v1/validation-rules/{id}/assignments']
const meant = meantPathFinder(paths.map((path) => ({ path })))

test.each<[path: string, meant: string | null]>([
  ['/v1/voucher', '/v1/vouchers'],
  ['/vouchers', '/v1/vouchers'],
  ['/voucher/SPRING', '/v1/vouchers/SPRING'],
  ['/v1/Vouchers/import', '/v1/vouchers/import'],
  ['/v1/validationRules/val_1/assignment', '/v1/validation-rules/val_1/assignments'],
  ['/v1/mugs', null],
  ['/v1/vouchers/SPRING/mugs', null],
  ['/', null],
  [`/v1${'/vouchers'.repeat(500)}`, null],
])('%.40s probably means %s', (path, expected) => {
  expect(meant(path)).toBe(expected)
})

test('the answer to an unknown path says which one was probably meant', async () => {
  const shop = await newProject()
  expect(await shop.call('GET', '/v1/voucher?limit=1')).toMatchObject({
    status: 404,
    body: { key: 'not_found', details: 'Cannot find route GET /v1/voucher. Did you mean /v1/vouchers?' },
  })
  expect((await shop.call('GET', '/v1/mugs')).body.details).toBe('Cannot find route GET /v1/mugs')
})
