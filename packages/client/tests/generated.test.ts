import { readFileSync } from 'node:fs'
import { expect, test } from 'vitest'
import { readDocument } from '../generate/document.ts'
import { generatedFiles } from '../generate/files.ts'
import { clientTree, serverTree, sessionTree } from '../src/generated/tree.ts'
import { createGuerdon, createGuerdonClientSide } from '../src/index.ts'
import { readTree } from '../src/operation.ts'
import { createGuerdonSession } from '../src/session.ts'

const { operations } = readDocument()
const idsAt = (...beginnings: string[]) =>
  operations.flatMap(({ id, path }) => (beginnings.some((beginning) => path.startsWith(beginning)) ? [id] : [])).sort()

test.each([...generatedFiles()])('%s is current (npm run generate rewrites it)', (name, text) => {
  expect(readFileSync(new URL(`../src/generated/${name}`, import.meta.url), 'utf8') === text).toBe(true)
})

test('every operation of openapi.json has a method in the client of who calls it, and every method an operation', () => {
  const server = createGuerdon({ baseUrl: 'http://shop', applicationId: 'id', secretKey: 'secret' })
  const client = createGuerdonClientSide({ baseUrl: 'http://shop', clientApplicationId: 'id', clientSecretKey: 's' })
  const session = createGuerdonSession()
  expect(Object.keys(server).sort()).toEqual(idsAt('/v1/', '/management/'))
  expect(Object.keys(client).sort()).toEqual(idsAt('/client/'))
  expect(Object.keys(session).sort()).toEqual(idsAt('/auth/', '/v1/', '/management/'))
  const all = new Set([server, client, session].flatMap((methods) => Object.keys(methods)))
  expect(all.size).toBe(operations.length)
})

test('the tree gives each operation its method and path', () => {
  const read = [serverTree, clientTree, sessionTree].flatMap(readTree)
  const found = read.map(([id, { method, path }]) => `${id} ${method} ${path}`)
  expect(found.sort()).toEqual(operations.map(({ id, method, path }) => `${id} ${method} ${path}`).sort())
})
