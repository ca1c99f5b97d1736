import { describe, expect, test } from 'vitest'
import { headingAnchor } from '../../../docs/.vitepress/heading-anchor.ts'
import { brokenLinks, brokenReferences } from './testing/reference/links.ts'
import { referencePages } from './testing/reference/pages.ts'

describe('the generated tables of docs/reference', () => {
  test.each(referencePages())('$name matches the code', ({ name, text, current }) => {
    expect(text === current, `${name} is out of date: run \`npm run reference\` and commit it`).toBe(true)
  })
})

describe('links', () => {
  test('every reference to the documentation in a comment names an existing page and heading', () => {
    expect(brokenReferences()).toEqual([])
  })

  test('every link in the documentation leads to an existing page and heading', () => {
    expect(brokenLinks()).toEqual([])
  })

  test.each([
    ['Error body', 'error-body'],
    ['POST /v1/oauth/token', 'post-v1oauthtoken'],
    ['The `type` of a [voucher](vouchers.md)', 'the-type-of-a-voucher'],
    ['Rules, and logic: `$in_location`', 'rules-and-logic-in_location'],
  ])('the anchor of the heading "%s" is #%s', (heading, anchor) => {
    expect(headingAnchor(heading)).toBe(anchor)
  })
})
