import { expect, test } from 'vitest'
import { catalogue, eventTypes } from './core/events/catalogue.ts'
import { idKinds } from './core/lib/ids.ts'
import { limits } from './core/lib/limits.ts'
import { reservedIds } from './testing/reserved-ids.ts'
import { occurs, sourceTexts } from './testing/sources.ts'

/*
 * Habits that tests keep: what is not needed is not there. The keys of refusals are looked after in core/http/errors.test.ts, the
 * operations in operations.test.ts.
 */

const sources = sourceTexts()

test.each(idKinds)('id %s: is made, or reserved', (kind) => {
  const isOfEvents = eventTypes.some((type) => kind === `${catalogue[type].entity}_event`)
  const isMade = isOfEvents || occurs(new RegExp(`\\b(?:newId|idPrefix)\\([^)]*'${kind}'`), sources)
  expect(isMade).toBe(reservedIds[kind] === undefined)
})

test.each(Object.keys(limits))('limit %s: somebody keeps to it', (name) => {
  expect(occurs(new RegExp(`\\blimits\\.${name}\\b`), sources)).toBe(true)
})

test('a function or constant is exported because another file uses it', () => {
  const filesWith = new Map<string, number>()
  for (const text of sourceTexts({ tests: true }).values())
    for (const word of new Set(text.match(/\w+/g))) filesWith.set(word, (filesWith.get(word) ?? 0) + 1)

  const alone = [...sources].flatMap(([path, text]) =>
    isTakenWhole.test(path)
      ? []
      : [...text.matchAll(/^export (?:async function|function|const|class) (\w+)/gm)]
          .filter(([, name]) => filesWith.get(name as string) === 1)
          .map(([, name]) => `${path}: ${name}`),
  )
  expect(alone).toEqual([])
})

test('a noun takes nothing from the routes of another', () => {
  const takers = [...sources].filter(([, text]) => /from '\.\.\/(?:[\w./-]+\/)?(?:[\w-]+-)?routes\.ts'/.test(text))
  expect(takers.map(([path]) => path)).toEqual([])
})

/** Schemas are exported for their names (schemas.ts), and migrations as a list. */
const isTakenWhole = /\/(?:[\w-]+-)?schema\.ts$|\/schema\/|\/migrations\//
