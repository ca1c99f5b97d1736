import { readdirSync, readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { clientOf, openLibrary } from './client.ts'
import { methodsOf, objectAt, objectsIn } from './methods.ts'
import { type Noun, nouns } from './nouns.ts'

const open = clientOf(null)

test('every object of the library that has methods is tested by one file', async () => {
  const { shop, address } = await open()
  const library = openLibrary(shop, address)
  const hasMethods = (object: object) => methodsOf(object).length > 0
  const reached = [...objectsIn(library)].filter(([, object]) => hasMethods(object)).map(([path]) => path)
  const tested = Object.values(nouns).flat()
  expect(reached.length).toBeGreaterThan(25)
  expect(reached.flatMap((path) => methodsOf(objectAt(library, path))).length).toBeGreaterThan(170)
  expect(tested.filter((path) => hasMethods(objectAt(library, path))).toSorted()).toEqual(reached.toSorted())
})

test.each(Object.keys(nouns) as Noun[])('%s.test.ts checks that it has called every method of its objects', (noun) => {
  const source = readFileSync(new URL(`${noun}.test.ts`, import.meta.url), 'utf8')
  expect(source).toContain(`clientOf('${noun}'`)
  expect(source).toContain('.expectAllMethodsCalled()')
})

test('there are no other test files', () => {
  const files = readdirSync(new URL('.', import.meta.url)).filter((name) => name.endsWith('.test.ts'))
  const others = ['coverage.test.ts', 'errors.test.ts']
  expect(files.toSorted()).toEqual([...Object.keys(nouns).map((noun) => `${noun}.test.ts`), ...others].toSorted())
})
