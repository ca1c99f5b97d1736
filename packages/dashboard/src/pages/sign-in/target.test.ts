import { describe, expect, test } from 'vitest'
import { targetOf } from './target.ts'

const origin = 'https://guerdon.example'
const to = (address: string | undefined) => targetOf(address, origin)

describe('where a sign-in leads', () => {
  test('a page of the dashboard, with its filters', () => {
    expect(to('/proj_1/codes?q=SUMMER#top')).toBe('/dashboard/proj_1/codes?q=SUMMER#top')
    expect(to('/dashboard/proj_1/codes?q=SUMMER')).toBe('/dashboard/proj_1/codes?q=SUMMER')
  })

  test.each([undefined, '', '/', '/dashboard', '/dashboard/', '/sign-in', '/dashboard/sign-in', '/password'])(
    'the start for %o',
    (address) => {
      expect(to(address)).toBe('/dashboard/')
    },
  )

  test.each([
    'https://evil.example/',
    '//evil.example/x',
    '/\\evil.example/x',
    '/\t/evil.example/x',
    '/\n/evil.example',
    '\\\\evil.example',
    'javascript:alert(1)',
    'evil.example',
    '/dashboard//evil.example',
    '/..//evil.example',
    '/dashboard/..//evil.example/',
  ])('never another site: %o', (address) => {
    const target = to(address)
    expect(new URL(target, origin).origin).toBe(origin)
    expect(target).toMatch(/^\/dashboard\//)
    expect(target).not.toMatch(/^\/dashboard\/\//)
  })
})
