import { connect, type Socket } from 'node:net'
import { createTransport } from 'nodemailer'
import { limits } from '../lib/limits.ts'
import { isMailAddress, type Sender } from './address.ts'
import type { SmtpServer } from './smtp-url.ts'
import type { WaitingMail } from './store.ts'

/** Sends mails through one SMTP server. */
export interface Mailer {
  /**
   * Returns the recipients that the server did not accept, with its reason; none when all have it. Throws if nobody has it. When
   * `signal` is aborted, it gives up within seconds.
   */
  send(mail: WaitingMail, signal: AbortSignal): Promise<Array<{ recipient: string; reason: string }>>
}

export interface MailerTimes {
  /** To connect, for the greeting of the server, and of silence. */
  silence_ms: number
  /** Of an attempt from beginning to end: a server that sends a byte now and then is not silent. */
  attempt_ms: number
  /** What is left of an attempt when the process stops. */
  stop_ms: number
}

const standardTimes: MailerTimes = {
  silence_ms: limits.mail_silence_ms,
  attempt_ms: limits.mail_attempt_ms,
  stop_ms: limits.mail_stop_ms,
}

export function newMailer(server: SmtpServer, from: Sender, times: MailerTimes = standardTimes): Mailer {
  return {
    async send(mail, signal) {
      const [valid, invalid] = partition(mail.recipients, isMailAddress)
      const failures = invalid.map((recipient) => ({ recipient, reason: 'is not an e-mail address' }))
      if (valid.length === 0) throw new Error(`no recipient is an e-mail address`)
      const attempt = openAttempt(server, times, signal)
      try {
        const { rejectedErrors = [], rejected } = await attempt.transport.sendMail({
          from,
          to: valid.map((address) => ({ name: '', address })),
          subject: mail.subject,
          text: mail.text,
          // The same for every attempt, so that a mail that arrives twice is recognised.
          messageId: `<${mail.id}@${from.address.slice(from.address.indexOf('@') + 1)}>`,
          headers: { 'Auto-Submitted': 'auto-generated' },
          disableFileAccess: true,
          disableUrlAccess: true,
        })
        const reasonOf = (recipient: string) =>
          rejectedErrors.find((error) => error.recipient === recipient)?.response ?? 'was refused'
        return [
          ...failures,
          ...rejected.map((recipient) => ({ recipient, reason: withoutSecrets(reasonOf(recipient), server) })),
        ]
      } catch (error) {
        const reason = attempt.isOverdue() ? 'the server took too long' : (error as Error).message
        // Not as the cause: it may carry what was sent to the server.
        throw new Error(withoutSecrets(reason, server))
      } finally {
        attempt.end()
      }
    },
  }
}

/** One connection, which ends with its time limit or soon after the process begins to stop. */
function openAttempt(server: SmtpServer, { silence_ms, attempt_ms, stop_ms }: MailerTimes, signal: AbortSignal) {
  let socket: Socket | undefined
  let isOverdue = false
  const giveUp = () => {
    isOverdue = true
    socket?.destroy(new Error('the server took too long'))
  }
  const timers = [setTimeout(giveUp, attempt_ms)]
  const shorten = () => void timers.push(setTimeout(giveUp, stop_ms))
  if (signal.aborted) shorten()
  else signal.addEventListener('abort', shorten)
  const transport = createTransport({
    host: server.host,
    port: server.port,
    secure: server.tls === 'connect',
    requireTLS: server.tls === 'required',
    ignoreTLS: server.tls === 'off',
    ...(server.user === null ? {} : { auth: { user: server.user, pass: server.password ?? '' } }),
    greetingTimeout: silence_ms,
    socketTimeout: silence_ms,
    // Its own socket, because a time limit of the whole attempt needs one to destroy.
    getSocket(_options, callback) {
      socket = connect({ host: server.host, port: server.port })
      socket.setTimeout(silence_ms, () => socket?.destroy(new Error('the server does not accept connections in time')))
      socket.once('error', callback)
      socket.once('connect', () => {
        socket?.setTimeout(0)
        socket?.off('error', callback)
        callback(null, { connection: socket })
      })
    },
  })
  return {
    transport,
    isOverdue: () => isOverdue,
    end() {
      for (const timer of timers) clearTimeout(timer)
      signal.removeEventListener('abort', shorten)
      socket?.on('error', () => {}) // nobody listens any more
      socket?.destroy()
    },
  }
}

/** What the server answers is logged; it might repeat what it was sent. */
function withoutSecrets(text: string, { user, password }: SmtpServer): string {
  if (password === null) return text
  const base64 = (secret: string) => Buffer.from(secret).toString('base64')
  const secrets = [password, base64(password), base64(`\0${user}\0${password}`)]
  return secrets.reduce((masked, secret) => masked.replaceAll(secret, '***'), text)
}

function partition<T>(values: readonly T[], isIn: (value: T) => boolean): [T[], T[]] {
  return [values.filter((value) => isIn(value)), values.filter((value) => !isIn(value))]
}
