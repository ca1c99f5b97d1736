import { setTimeout } from 'node:timers/promises'
import { expect } from 'vitest'
import type { AsyncActionDefinition } from '../core/jobs/async-action.ts'
import { newProject, type Shop } from '../testing/app.ts'
import { runAsyncActions } from '../testing/background.ts'
import { methodsOf, objectAt } from './methods.ts'
import { type Library, type Noun, nouns } from './nouns.ts'
import { VoucherifyClientSide, VoucherifyServerSide } from './sdk.ts'

export interface Client {
  library: Library
  shop: Shop
  /** Where the service listens. */
  address: string
  /** Runs the async actions that an import or a bulk update has queued. */
  work(...actions: readonly AsyncActionDefinition[]): Promise<void>
  /** Expects that each method of this file's objects was called and answered without an error. */
  expectAllMethodsCalled(): void
}

interface ClientOptions {
  /** Settings of the project, such as which client-side operations are enabled. */
  project?: Record<string, unknown>
  env?: Record<string, string>
}

/**
 * The client library as a shop would set it up, against a service listening on a port; shared by all tests of a file. A
 * file that tests objects of the library passes its noun (nouns.ts).
 */
export function clientOf(noun: Noun | null, options: ClientOptions = {}): () => Promise<Client> {
  let client: Promise<Client> | undefined
  return () => {
    client ??= openClient(noun, options)
    return client
  }
}

async function openClient(noun: Noun | null, { project = {}, env = {} }: ClientOptions): Promise<Client> {
  // The library does not support access tokens, and tests call the client side more often than a visitor would.
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
    expectAllMethodsCalled() {
      const names = noun === null ? [] : nouns[noun]
      const methods = names.flatMap((name) => methodsOf(objectAt(library, name)).map((key) => `${name}.${key}`))
      expect(methods.length).toBeGreaterThan(0)
      expect(methods.filter((method) => !answered.has(method))).toEqual([])
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

/** A proxy of the object that records the paths of methods that were answered. */
function recording<T extends object>(target: T, path: string, answered: Set<string>): T {
  return new Proxy(target, {
    get(object, key) {
      const value: unknown = Reflect.get(object, key)
      const name = `${path}${String(key)}`
      if (typeof value === 'function')
        return (...args: unknown[]) =>
          recordAnswer(
            retryWhenOverloaded(() => value.apply(object, args)),
            () => answered.add(name),
          )
      return typeof value === 'object' && value !== null ? recording(value, `${name}.`, answered) : value
    },
  })
}

/** Retries after a 503, which the load of other tests on the same machine may cause. */
function retryWhenOverloaded(call: () => unknown, times = 20): unknown {
  const answer = call()
  if (!(answer instanceof Promise)) return answer
  return answer.catch(async (failure) => {
    if (failure.key !== 'service_unavailable' || times === 0) throw failure
    await setTimeout(250)
    return retryWhenOverloaded(call, times - 1)
  })
}

function recordAnswer(answer: unknown, onAnswer: () => void): unknown {
  if (answer instanceof Promise) return answer.then(record)
  if (answer !== null && typeof answer === 'object' && Symbol.asyncIterator in answer)
    return recordEachAnswer(answer, onAnswer)
  return record(answer)

  function record(value: unknown) {
    onAnswer()
    return value
  }
}

async function* recordEachAnswer(answers: object, onAnswer: () => void): AsyncGenerator {
  for await (const answer of answers as AsyncIterable<unknown>) {
    onAnswer()
    yield answer
  }
}
