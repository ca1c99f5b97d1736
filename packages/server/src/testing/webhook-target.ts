import { createServer, type IncomingHttpHeaders, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { buffer } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { atEnd } from './closings.ts'

export interface ReceivedRequest {
  path: string
  headers: IncomingHttpHeaders
  /** As it was sent. */
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: a body in a test is whatever the test expects of it
  body: any
}

/** A status; `hang` never answers; a number of milliseconds answers 200 after them. */
export type TargetAnswer = number | 'hang' | { after_ms: number }

/** The target of webhooks in this process: it keeps what it receives, and answers as it is told. */
export interface WebhookTarget {
  url: string
  requests: ReceivedRequest[]
  /** 200 unless a test replaces it. */
  answer: (request: ReceivedRequest) => TargetAnswer
  /** The most requests at once so far, by path. */
  most_at_once(path: string): number
  /** The most requests at once with one `webhook-id`. */
  most_at_once_of_one(): number
  /** Closes the connections of requests that hang. */
  release(): void
}

export async function openWebhookTarget(): Promise<WebhookTarget> {
  const atOnce = new Map<string, { now: number; most: number }>()
  const enter = (key: string) => {
    const count = atOnce.get(key) ?? { now: 0, most: 0 }
    count.now += 1
    count.most = Math.max(count.most, count.now)
    atOnce.set(key, count)
    return () => {
      count.now -= 1
    }
  }
  const target: WebhookTarget = {
    url: '',
    requests: [],
    answer: () => 200,
    most_at_once: (path) => atOnce.get(`path ${path}`)?.most ?? 0,
    release: () => server.closeAllConnections(),
    most_at_once_of_one: () =>
      Math.max(0, ...[...atOnce].flatMap(([key, { most }]) => (key.startsWith('id ') ? [most] : []))),
  }
  const server = createServer(async (request, response) => {
    const text = await buffer(request).then(String, () => null)
    if (text === null) return // the connection was closed before the whole request had arrived
    const path = request.url as string
    const received = { path, headers: request.headers, text, body: JSON.parse(text) }
    const leaving = [enter(`path ${path}`), enter(`id ${request.headers['webhook-id']}`)]
    response.once('close', () => {
      for (const leave of leaving) leave()
    })
    target.requests.push(received)
    const answer = target.answer(received)
    if (answer === 'hang') return
    if (typeof answer === 'object') await setTimeout(answer.after_ms)
    response.writeHead(typeof answer === 'number' ? answer : 200).end('{"received":true}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  target.url = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  atEnd(() => closeServer(server))
  return target
}

async function closeServer(server: Server): Promise<void> {
  server.closeAllConnections()
  await new Promise((resolve) => server.close(resolve))
}
