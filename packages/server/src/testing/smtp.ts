import { once } from 'node:events'
import { readFileSync } from 'node:fs'
import type { AddressInfo } from 'node:net'
import { SMTPServer, type SMTPServerOptions } from 'smtp-server'
import { atEnd } from './closings.ts'

export interface ReceivedMail {
  from: string
  to: string[]
  /** The message as it arrived, headers and all. */
  raw: string
  /** The user that logged in, and whether the connection was encrypted. */
  user: string | undefined
  is_encrypted: boolean
}

export interface TestSmtpServer {
  port: number
  received: ReceivedMail[]
  /** Answers that the next commands get instead of "accepted", each once: `450 later`. */
  answers: Partial<Record<'connect' | 'rcpt' | 'data', string[]>>
  close(): Promise<void>
}

/** A certificate for 127.0.0.1 (testing/tls/README.md). */
export const tlsFile = (name: string): string => readFileSync(new URL(`tls/${name}`, import.meta.url), 'utf8')

/** An SMTP server on the loopback; `port` 0 takes a free one. Login is `shop` with `s3cret!`. */
export async function startSmtpServer(
  options: SMTPServerOptions = {},
  { port = 0 }: { port?: number } = {},
): Promise<TestSmtpServer> {
  const received: ReceivedMail[] = []
  const answers: TestSmtpServer['answers'] = {}
  const nextAnswer = (command: keyof typeof answers): Error | null => {
    const answer = answers[command]?.shift()
    if (answer === undefined) return null
    return Object.assign(new Error(answer.slice(4)), { responseCode: Number(answer.slice(0, 3)) })
  }
  const server = new SMTPServer({
    authOptional: true,
    key: tlsFile('server.key'),
    cert: tlsFile('server.pem'),
    onConnect: (_session, callback) => callback(nextAnswer('connect')),
    onAuth: ({ username, password }, _session, callback) =>
      username === 'shop' && password === 's3cret!'
        ? callback(null, { user: username })
        : callback(new Error(`wrong password ${password}`)),
    onRcptTo: (_address, _session, callback) => callback(nextAnswer('rcpt')),
    async onData(stream, session, callback) {
      const chunks: Buffer[] = []
      for await (const chunk of stream) chunks.push(chunk as Buffer)
      const refusal = nextAnswer('data')
      const { mailFrom, rcptTo } = session.envelope
      if (refusal === null)
        received.push({
          from: mailFrom === false ? '' : mailFrom.address,
          to: rcptTo.map(({ address }) => address),
          raw: Buffer.concat(chunks).toString('utf8'),
          user: session.user as string | undefined,
          is_encrypted: session.secure,
        })
      callback(refusal)
    },
    ...options,
  })
  server.on('error', () => {}) // a client that hangs up
  const listener = server.listen(port, '127.0.0.1')
  await once(listener, 'listening')
  let closed: Promise<void> | undefined
  const close = () => {
    closed ??= new Promise((resolve) => server.close(resolve))
    return closed
  }
  atEnd(close)
  return { port: (listener.address() as AddressInfo).port, received, answers, close }
}
