import { describe, expect, test } from 'vitest'
import { anchorOf, brokenLinks, brokenReferences } from './testing/reference/links.ts'
import { referencePages } from './testing/reference/pages.ts'

describe('the tables of docs/reference', () => {
  test.each(referencePages())('$name says what the code says', ({ name, text, current }) => {
    expect(text === current, `${name} is out of date: run \`npm run reference\` and commit it`).toBe(true)
  })
})

describe('links', () => {
  test('a comment that refers to the documentation names a page and a heading that exist', () => {
    expect(brokenReferences()).toEqual([])
  })

  test('a page of the documentation links to pages and headings that exist', () => {
    expect(brokenLinks()).toEqual([])
  })

  test.each([
    ['Error body', 'error-body'],
    ['POST /v1/oauth/token', 'post-v1oauthtoken'],
    ['The `type` of a [voucher](vouchers.md)', 'the-type-of-a-voucher'],
    ['Rules, and logic: `$in_location`', 'rules-and-logic-in_location'],
  ])('the heading "%s" is linked to as #%s', (heading, anchor) => {
    expect(anchorOf(heading)).toBe(anchor)
  })
})
