import { Agent, createServer, type IncomingMessage, request, type Server, type ServerResponse } from 'node:http'
import { request as requestTls, Agent as TlsAgent } from 'node:https'
import type { Socket } from 'node:net'
import { pipeline } from 'node:stream'
import { BodyCopy, CopyRoom } from './body-copy.ts'
import type { Observer } from './observer.ts'
import { isCompared, withoutQuery } from './question.ts'

/** Concerns one connection only (RFC 9110, 7.6.1): the other connection has its own. */
const hopHeaders = new Set([
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
])

/**
 * Passes every request on to the present service and its answer back, byte by byte as they come. Of validations and redemptions the observer
 * gets a copy, after the answer has gone. Nothing that happens there can change or delay the answer.
 */
export function newProxy(upstream: URL, observer: Observer): Server {
  const target: Target = {
    upstream,
    send: upstream.protocol === 'https:' ? requestTls : request,
    // Connections are used again for two seconds at most: a service that closes idle ones later than that never closes one just when a
    // request is on its way, which could not be sent a second time.
    agent: upstream.protocol === 'https:' ? hearing(new TlsAgent(agentOptions)) : hearing(new Agent(agentOptions)),
    room: new CopyRoom(),
  }
  return createServer({ requireHostHeader: false }, (incoming, outgoing) => pass(target, observer, incoming, outgoing))
}

const agentOptions = { keepAlive: true, timeout: 2_000 }

/**
 * A service may answer and close before it has read a body, because that is too large or its caller unknown. The next write fails then, and
 * Node would close our side with it, together with an answer that has arrived and that nobody has read. So a write that the service has
 * refused counts as done: reading tells what it says, or that it says nothing.
 */
function hearing<A extends Agent>(agent: A): A {
  const connect = agent.createConnection.bind(agent)
  agent.createConnection = (...args) => {
    const socket = connect(...args) as Socket
    for (const name of ['_write', '_writev'] as const) {
      const write = socket[name] as (...all: unknown[]) => void
      socket[name] = (...all: unknown[]) => {
        const done = all.pop() as (error?: NodeJS.ErrnoException | null) => void
        write.call(socket, ...all, (error?: NodeJS.ErrnoException | null) =>
          done(error?.code === 'EPIPE' || error?.code === 'ECONNRESET' ? null : error),
        )
      }
    }
    return socket
  }
  return agent
}

interface Target {
  upstream: URL
  send: typeof request
  agent: Agent
  room: CopyRoom
}

function pass(
  { upstream, send, agent, room }: Target,
  observer: Observer,
  incoming: IncomingMessage,
  outgoing: ServerResponse,
): void {
  const { method = 'GET', url: target = '/' } = incoming
  const isWatched = isCompared(method, target)
  const at = new Date().toISOString()
  const sent = send({
    agent,
    protocol: upstream.protocol,
    hostname: upstream.hostname.replace(/^\[|\]$/g, ''),
    port: upstream.port,
    method,
    path: `${upstream.pathname.replace(/\/$/, '')}${target}`,
    headers: { ...endToEnd(incoming), ...framing(incoming), host: upstream.host },
  })
  outgoing.sendDate = false // the answer has its own
  const copy = isWatched && isReadable(incoming) ? new BodyCopy(incoming, room) : null
  let isAnswered = false
  sent.on('response', (answered) => {
    isAnswered = true
    const { statusCode: status = 502 } = answered
    if (status < 200) return refuse() // an answer that nobody can send, such as 099
    const answerCopy = copy === null || isRefusedCaller(status) ? null : new BodyCopy(answered, room)
    try {
      outgoing.writeHead(status, reasonOf(answered), endToEnd(answered))
    } catch {
      answerCopy?.release()
      return refuse()
    }
    pipeline(answered, outgoing, (error) => {
      if (!error && copy?.isComplete && answerCopy?.isComplete) {
        const path = withoutQuery(target)
        return observer.observe({ at, method, path, status, request: copy, answer: answerCopy })
      }
      copy?.release()
      answerCopy?.release()
      const hadRoom = (copy?.hadRoom ?? true) && (answerCopy?.hadRoom ?? true)
      if (isWatched) observer.tally[hadRoom ? 'skipped' : 'dropped'] += 1
    })
  })
  const refuse = () => {
    copy?.release()
    sent.destroy()
    if (outgoing.headersSent) outgoing.destroy()
    else
      outgoing
        .writeHead(502, { 'content-type': 'text/plain' })
        .end('The service behind the shadow proxy does not answer.\n')
  }
  // Once there is an answer, a service that reads no further is no failure: what becomes of the answer, `pipeline` sees.
  sent.on('error', () => {
    if (!isAnswered) refuse()
  })
  // Nobody asked for another protocol: `upgrade` is not passed on.
  sent.on('upgrade', refuse)
  // A shop that has hung up needs no answer.
  outgoing.on('close', () => {
    sent.destroy()
    if (!isAnswered) copy?.release()
  })
  // Not by `pipeline`, which would close the connection of the shop when that of the service fails, before the shop has its answer.
  incoming.pipe(sent)
  // What the service does not want to read, such as the rest of a body that is too large, the shop may still be sending.
  sent.on('close', () => void incoming.unpipe(sent).resume())
}

/** A compressed request may be a thousand times as large as what was sent, and no shop has a reason to send one. */
const isReadable = ({ headers }: IncomingMessage): boolean => (headers['content-encoding'] ?? 'identity') === 'identity'

/** Without a valid key anybody may send requests, in any number: there is no verdict to compare, and they must not cost us anything. */
const isRefusedCaller = (status: number): boolean => status === 401 || status === 403 || status === 429

/** The words beside the status, unless they have characters that cannot be sent. */
const reasonOf = ({ statusMessage = '' }: IncomingMessage): string | undefined =>
  /^[\t\x20-\x7e\x80-\xff]+$/.test(statusMessage) ? statusMessage : undefined

/**
 * Where the body ends: a body of unknown length is sent in chunks again, whatever the method. The length is passed on even where
 * `Connection` names it: without it the service would take the body of a DELETE for the next request.
 */
function framing({ headers }: IncomingMessage): Record<string, string> {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' }
  const { 'content-length': length } = headers
  return length === undefined ? {} : { 'content-length': length }
}

/** Names and values as they came, also repeated ones. */
function endToEnd({ headersDistinct, headers }: IncomingMessage): Record<string, string[]> {
  const named = new Set(
    (headers.connection ?? '')
      .toLowerCase()
      .split(',')
      .map((name) => name.trim()),
  )
  const kept = Object.entries(headersDistinct).filter(([name]) => !hopHeaders.has(name) && !named.has(name))
  return Object.fromEntries(kept) as Record<string, string[]>
}
