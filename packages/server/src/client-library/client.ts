import { setTimeout } from 'node:timers/promises'
import { VoucherifyClientSide, VoucherifyServerSide } from '@voucherify/sdk'
import { expect } from 'vitest'
import type { AsyncAction } from '../core/jobs/async-action.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { runAsyncActions } from '../testing/background.ts'
import { methodsOf, objectAt } from './methods.ts'
import { notServed } from './not-served.ts'
import { type Library, type Noun, nouns } from './nouns.ts'

export interface Client {
  library: Library
  shop: Shop
  /** Where the service listens. */
  address: string
  /** Has the service do what an import or a bulk update has started. */
  work(...actions: readonly AsyncAction[]): Promise<void>
  /** Expects that each method of this file's objects has been called, and has been answered without an error. */
  expectAllDriven(): void
}

interface ClientOptions {
  /** The project's own settings, such as what its pages may do. */
  project?: Record<string, unknown>
  env?: Record<string, string>
}

/**
 * The library as a shop would set it up, against a service of ours on a port: one for all tests of a file. A file that
 * drives objects of the library names them by its noun.
 */
export function clientOf(noun: Noun | null, options: ClientOptions = {}): () => Promise<Client> {
  let client: Promise<Client> | undefined
  return () => {
    client ??= openClient(noun, options)
    return client
  }
}

async function openClient(noun: Noun | null, { project = {}, env = {} }: ClientOptions): Promise<Client> {
  // The library knows no access tokens, and a page in a test calls more often than a visitor would.
  const shop = await newProject({
    env: { AUTH_MODE: 'either', CLIENT_RATE_LIMIT: '', ...env },
    project: { client_trusted_domains: ['shop.example'], ...project },
  })
  const address = await shop.service.app.listen({ port: 0, host: '127.0.0.1' })
  const library = openLibrary(shop, address)
  const answered = new Set<string>()
  return {
    library: recording(library, '', answered),
    shop,
    address,
    work: (...actions) => runAsyncActions(shop.service.runtime, shop.project_id, actions),
    expectAllDriven() {
      const names = noun === null ? [] : nouns[noun]
      const methods = names.flatMap((name) => methodsOf(objectAt(library, name)).map((key) => `${name}.${key}`))
      expect(methods.length).toBeGreaterThan(0)
      expect(methods.filter((method) => !(method in notServed) && !answered.has(method))).toEqual([])
    },
  }
}

export const openLibrary = (keys: Shop, address: string, more: Record<string, unknown> = {}): Library => ({
  ...VoucherifyServerSide({ applicationId: keys.app_id, secretKey: keys.app_token, apiUrl: address, ...more }),
  clientSide: VoucherifyClientSide({
    clientApplicationId: keys.client_id,
    clientSecretKey: keys.client_token,
    apiUrl: address,
    origin: 'https://shop.example',
    ...more,
  }),
})

/** The same object, which notes the paths of the methods that were answered. */
function recording<T extends object>(target: T, path: string, answered: Set<string>): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key)
      const name = `${path}${String(key)}`
      if (typeof value === 'function')
        return (...args: unknown[]) =>
          noting(
            patiently(() => value.apply(object, args)),
            () => answered.add(name),
          )
      return typeof value === 'object' && value !== null ? recording(value, `${name}.`, answered) : value
    },
  })
}

/** Calls again after a refusal for overload, which other tests on the same machine may bring about. */
function patiently(call: () => unknown, times = 20): unknown {
  const answer = call()
  if (!(answer instanceof Promise)) return answer
  return answer.catch(async (failure) => {
    if (failure.key !== 'service_unavailable' || times === 0) throw failure
    await setTimeout(250)
    return patiently(call, times - 1)
  })
}

function noting(answer: unknown, note: () => void): unknown {
  if (answer instanceof Promise) return answer.then(noted)
  if (answer !== null && typeof answer === 'object' && Symbol.asyncIterator in answer) return notingEach(answer, note)
  return noted(answer)

  function noted(value: unknown) {
    note()
    return value
  }
}

async function* notingEach(answers: object, note: () => void): AsyncGenerator {
  for await (const answer of answers as AsyncIterable<unknown>) {
    note()
    yield answer
  }
}
