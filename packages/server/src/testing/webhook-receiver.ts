import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { atEnd } from './closings.ts'
import { quick } from './process.ts'
import type { Behaviour } from './webhook-behaviours.ts'

export interface ReceivedRequest {
  path: string
  /** Everything before the body, as it arrived. */
  head: string
  /** By lower-case name. */
  headers: Record<string, string>
  body: Buffer
  /** By the clock of the receiver. */
  at: number
  /** The number of its connection; requests with the same number shared one. */
  connection: number
}

interface Ports {
  http: number
  /** With a certificate for 127.0.0.1 of the authority of testing/tls, which a process trusts by `NODE_EXTRA_CA_CERTS`. */
  https: number
  self_signed: number
  expired: number
  /** Accepts connections and stays silent. */
  silent: number
}

interface Connections {
  made: number
  open: number
  /** On those that have ended. */
  bytes_read: number
}

export interface WebhookReceiver {
  ports: Ports
  /** `http://127.0.0.1:<port>`; the path names the behaviour. */
  address: string
  /** The requests so far, also of a receiver that was killed. The last ones may arrive a moment after their answers: see `allRequests`. */
  requests: readonly ReceivedRequest[]
  /** The requests so far, with all that were answered. */
  allRequests(): Promise<readonly ReceivedRequest[]>
  connections(): Connections
  /** From now on requests for this path are answered in another way than its name says. */
  answer(path: string, behaviour: Behaviour): Promise<void>
  /** SIGSTOP and SIGCONT: the system still accepts connections, but nobody reads. */
  pause(): void
  resume(): void
  /** kill -9; resolves when the process has ended. */
  kill(): Promise<void>
}

/** Answered by `done`, in order. */
export type ToReceiver = { path?: string; behaviour?: string }

export type FromReceiver =
  | { type: 'ready'; ports: Ports }
  | { type: 'done' }
  | ({ type: 'connections' } & Connections)
  | ({ type: 'request' } & Omit<ReceivedRequest, 'headers'>)

/**
 * Starts a process that receives webhooks and treats each as the first part of its path says (`webhook-behaviours.ts`): `/500`,
 * `/hang`, `/slow_body`. With `port`, at the port of a receiver that was killed. It ends with the test file.
 */
export async function startWebhookReceiver({ port = 0 } = {}): Promise<WebhookReceiver> {
  const script = fileURLToPath(new URL('./webhook-receiver-process.ts', import.meta.url))
  const child = fork(script, [String(port)], {
    execArgv: quick.args,
    env: { ...process.env, ...quick.env },
    serialization: 'advanced',
  })
  // The last messages of a killed process arrive before `disconnect`.
  const ended = Promise.all(
    ['exit', 'disconnect'].map((event) => new Promise<void>((resolve) => child.once(event, () => resolve()))),
  )
  const kill = async () => {
    child.kill('SIGKILL')
    await ended
  }
  atEnd(kill)

  const requests: ReceivedRequest[] = []
  let connections: Connections = { made: 0, open: 0, bytes_read: 0 }
  const waiting: Array<() => void> = []
  const ask = (message: ToReceiver) =>
    new Promise<void>((resolve) => {
      waiting.push(resolve)
      child.send(message)
    })
  const ports = await new Promise<Ports>((resolve, reject) => {
    child.on('message', (message: FromReceiver) => {
      if (message.type === 'ready') resolve(message.ports)
      else if (message.type === 'connections') connections = message
      else if (message.type === 'done') waiting.shift()?.()
      else requests.push(received(message))
    })
    void ended.then(() => reject(new Error('The receiver ended before it was ready')))
  })

  return {
    ports,
    address: `http://127.0.0.1:${ports.http}`,
    requests,
    connections: () => connections,
    async allRequests() {
      if (child.connected) await ask({})
      return requests
    },
    answer: (path, behaviour) => ask({ path, behaviour }),
    pause: () => void child.kill('SIGSTOP'),
    resume: () => void child.kill('SIGCONT'),
    kill,
  }
}

function received({ path, head, body, at, connection }: Omit<ReceivedRequest, 'headers'>): ReceivedRequest {
  const lines = head.split('\r\n').slice(1)
  const headers = Object.fromEntries(
    lines.map((line) => {
      const [name = '', ...value] = line.split(':')
      return [name.toLowerCase(), value.join(':').trim()]
    }),
  )
  // Over the channel a Buffer arrives as a plain array of bytes.
  return { path, head, headers, body: Buffer.from(body), at, connection }
}
