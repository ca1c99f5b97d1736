import { pino } from 'pino'
import { expect, onTestFinished, test } from 'vitest'
import { until, untilRetried } from '../../testing/background.ts'
import { ownDatabase } from '../../testing/nodes.ts'
import { openTestRuntime } from '../../testing/runtime.ts'
import { startSmtpServer } from '../../testing/smtp.ts'
import type { Runtime } from '../context.ts'
import { inTransaction } from '../db/transaction.ts'
import { maintain } from '../jobs/maintenance.ts'
import { toInstant } from '../lib/instant.ts'
import { limits } from '../lib/limits.ts'
import type { Sender } from './address.ts'
import { newMailer } from './mailer.ts'
import { type Mail, queueMail } from './queue-mail.ts'
import type { SmtpServer } from './smtp-url.ts'
import { workMails } from './work-mails.ts'

/* A database of its own: in the shared one, workers of other test files would take the mails. */
const { database } = await ownDatabase()

/** A node, and what it logs; it ends with its test, because it would take the mails of the next one. */
async function newNode(env: Record<string, string> = {}): Promise<{ runtime: Runtime; logged: string[] }> {
  const logged: string[] = []
  const log = pino({ level: 'info' }, { write: (line) => void logged.push(line) })
  const runtime = { ...(await openTestRuntime(database, { env })), log }
  onTestFinished(async () => {
    await runtime.jobs.close({ graceful_seconds: 1 })
    await runtime.deferred.close()
    await runtime.credentials.close()
  })
  return { runtime, logged }
}

const smtpTo = (port: number) => ({
  SMTP_URL: `smtp://127.0.0.1:${port}?tls=off`,
  MAIL_FROM: 'Guerdon <guerdon@shop.test>',
})

const hello: Mail = { to: ['ann@shop.test'], subject: 'Hello', text: 'https://shop.test/link?token=one-time' }

/** Queues a mail as a request would. */
async function queue({ jobs }: Runtime, change: Partial<Mail> = {}, fail?: Error): Promise<void> {
  const afterCommit: Array<() => void> = []
  await inTransaction(database.db, async (db) => {
    await queueMail({ db, jobs, afterCommit: (work) => void afterCommit.push(work) }, { ...hello, ...change })
    if (fail !== undefined) throw fail
  })
  for (const work of afterCommit) work()
}

const waiting = () => database.db.selectFrom('mails').selectAll().orderBy('id').execute()
const untilNoneWaits = () => until(async () => ((await waiting()).length === 0 ? true : undefined))

test('a mail is sent if and only if the transaction that queued it commits', async () => {
  const server = await startSmtpServer()
  const { runtime } = await newNode(smtpTo(server.port))
  await workMails(runtime)
  await expect(queue(runtime, { subject: 'Undone' }, new Error('no'))).rejects.toThrow('no')
  await queue(runtime, { subject: 'Done' })
  await queue(runtime, { to: [] })
  await untilNoneWaits()
  expect(server.received.map(({ raw }) => /^Subject: (.*)$/m.exec(raw)?.[1]?.trim())).toEqual(['Done'])
  expect(runtime.mails).toEqual({ sent: 1, logged: 0, failed: 0, dropped: 0 })
})

test('names with line breaks, NUL and half characters cannot break a mail', async () => {
  const server = await startSmtpServer()
  const { runtime } = await newNode(smtpTo(server.port))
  await workMails(runtime)
  await queue(runtime, { subject: 'Shop\r\nBcc: spy@evil.test\0\ud800', text: 'a\0b\ud800' })
  await untilNoneWaits()
  const [{ raw, to } = { raw: '', to: [] }] = server.received
  expect(to).toEqual(['ann@shop.test'])
  expect(raw).not.toMatch(/^Bcc:/m)
})

test('without SMTP_URL a mail is logged with subject and recipients, and without its text', async () => {
  const { runtime, logged } = await newNode()
  await workMails(runtime)
  await queue(runtime)
  await untilNoneWaits()
  await until(() => (logged.length > 0 ? true : undefined))
  expect(logged).toHaveLength(1)
  expect(JSON.parse(logged[0] as string)).toMatchObject({
    level: 30,
    to: ['ann@shop.test'],
    subject: 'Hello',
    msg: 'mail not sent, because SMTP_URL is not set',
  })
  expect(logged.join()).not.toContain('one-time')
  expect(runtime.mails).toMatchObject({ logged: 1, sent: 0 })
})

test('a failed mail is retried after 5, 10 and 15 minutes, then dropped and logged', async () => {
  const server = await startSmtpServer()
  await server.close()
  const { runtime, logged } = await newNode(smtpTo(server.port))
  await workMails(runtime)
  await queue(runtime)
  for (const failures of [1, 2, 3]) {
    const pause = await until(async () => {
      const { rows } = await database.execute(
        `select extract(epoch from start_after - now())::float8 as seconds from pgboss.job where name = 'mail' and state = 'retry'`,
      )
      return (rows as Array<{ seconds: number }>).find(({ seconds }) => seconds > 0)
    })
    expect(pause.seconds).toBeGreaterThan(300 - 60) // the queue was read a moment after the job failed
    expect(pause.seconds).toBeLessThanOrEqual(300)
    expect(await waiting()).toMatchObject([{ failed_attempts: failures, recipients: ['ann@shop.test'] }])
    expect(runtime.mails).toMatchObject({ failed: failures, dropped: 0 })
    await database.execute(`update pgboss.job set start_after = now() where name = 'mail' and state = 'retry'`)
    runtime.jobs.wake('mail')
  }
  await untilNoneWaits()
  await until(() => (runtime.mails.dropped > 0 ? true : undefined))
  expect(runtime.mails).toEqual({ sent: 0, logged: 0, failed: 3, dropped: 1 })
  const dropped = logged.map((line) => JSON.parse(line)).filter(({ msg }) => msg === 'mail dropped')
  expect(dropped).toMatchObject([
    { level: 50, subject: 'Hello', attempts: 4, failures: [{ recipient: 'ann@shop.test' }] },
  ])
  expect(logged.join()).not.toContain('one-time')
})

test('a mail arrives when the server is up again', async () => {
  const down = await startSmtpServer()
  await down.close()
  const { runtime } = await newNode(smtpTo(down.port))
  await workMails(runtime)
  await queue(runtime)
  await until(() => (runtime.mails.failed > 0 ? true : undefined))
  const up = await startSmtpServer({}, { port: down.port })
  await untilRetried(runtime, async () => ((await waiting()).length === 0 ? true : undefined))
  expect(up.received).toHaveLength(1)
  expect(runtime.mails).toMatchObject({ sent: 1, dropped: 0 })
})

test('a retry goes only to those who do not have the mail yet', async () => {
  const server = await startSmtpServer()
  server.answers.rcpt = ['450 greylisted']
  const { runtime } = await newNode(smtpTo(server.port))
  await workMails(runtime)
  await queue(runtime, { to: ['late@shop.test', 'ann@shop.test', 'ann@shop.test'] })
  await untilRetried(runtime, async () => ((await waiting()).length === 0 ? true : undefined))
  expect(server.received.map(({ to }) => to)).toEqual([['ann@shop.test'], ['late@shop.test']])
})

test('a node that stops leaves the mail to the next one, which sends it at once', async () => {
  let isHanging = true
  const server = await startSmtpServer({
    onConnect: (_session, callback) => (isHanging ? undefined : callback()),
  })
  const stopping = await newNode(smtpTo(server.port))
  const { smtp, mail_from } = stopping.runtime.settings
  const times = { silence_ms: limits.mail_silence_ms, attempt_ms: limits.mail_attempt_ms, stop_ms: 50 }
  await workMails(stopping.runtime, newMailer(smtp as SmtpServer, mail_from as Sender, times))
  await queue(stopping.runtime)
  await until(async () => {
    const { rows } = await database.execute(`select from pgboss.job where name = 'mail' and state = 'active'`)
    return rows.length > 0 ? true : undefined
  })
  await stopping.runtime.jobs.close({ graceful_seconds: 30 })
  expect(limits.mail_stop_ms).toBeLessThan(limits.shutdown_seconds * 1_000)
  isHanging = false
  const next = await newNode(smtpTo(server.port))
  await workMails(next.runtime)
  await untilNoneWaits()
  expect(server.received).toHaveLength(1)
  expect(stopping.runtime.mails).toEqual({ sent: 0, logged: 0, failed: 0, dropped: 0 })
})

test('a mail whose job was lost is deleted after a week', async () => {
  const { runtime } = await newNode()
  await queue(runtime)
  await database.execute(`delete from pgboss.job where name = 'mail'`)
  const inDays = (days: number) => toInstant(Date.now() + days * 86_400_000)
  await maintain(database, inDays(6.9))
  expect(await waiting()).toHaveLength(1)
  await maintain(database, inDays(7.1))
  expect(await waiting()).toEqual([])
})
