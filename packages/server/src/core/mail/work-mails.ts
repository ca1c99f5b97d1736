import type { Runtime } from '../context.ts'
import type { Id } from '../lib/ids.ts'
import { limits } from '../lib/limits.ts'
import { type Mailer, newMailer } from './mailer.ts'
import { countFailure, deleteMail, findMail, type WaitingMail } from './store.ts'

/** Starts the workers that send queued mails. */
export async function workMails(runtime: Runtime, mailer: Mailer | null = mailerOf(runtime)): Promise<void> {
  await runtime.jobs.work('mail', ({ mail_id }, { signal }) => sendQueuedMail(runtime, mailer, mail_id, signal))
}

function mailerOf({ settings: { smtp, mail_from } }: Runtime): Mailer | null {
  return smtp === null || mail_from === null ? null : newMailer(smtp, mail_from)
}

/**
 * Sends one mail. It may arrive twice, with the same Message-ID: if the process dies between sending and deleting it. After a
 * failed attempt the job fails, and the queue retries it (core/jobs/queues.ts).
 */
async function sendQueuedMail(
  runtime: Runtime,
  mailer: Mailer | null,
  mailId: Id<'mail'>,
  signal: AbortSignal,
): Promise<'again' | undefined> {
  const { mails, log, database } = runtime
  const mail = await findMail(database.db, mailId)
  if (mail === undefined) return undefined
  const { recipients: to, subject } = mail
  if (mailer === null) {
    // Not its text: it may contain a one-time link, and a log has more readers than a mail.
    log.info({ mail_id: mailId, to, subject }, 'mail not sent, because SMTP_URL is not set')
    mails.logged += 1
    await deleteMail(database.db, mailId)
    return undefined
  }

  const failures = await mailer.send(mail, signal).catch((error: unknown) => {
    const reason = (error as Error).message
    return to.map((recipient) => ({ recipient, reason }))
  })
  if (failures.length === 0) {
    mails.sent += 1
    log.debug({ mail_id: mailId, to, subject }, 'mail sent')
    await deleteMail(database.db, mailId)
    return undefined
  }
  if (signal.aborted && failures.length === to.length) return 'again' // the attempt was cut short: not a failure of the mail
  await recordFailures(runtime, mail, failures)
  return undefined
}

async function recordFailures(
  { mails, log, database }: Runtime,
  { id, recipients, subject, failed_attempts }: WaitingMail,
  failures: Awaited<ReturnType<Mailer['send']>>,
): Promise<void> {
  const attempts = failed_attempts + 1
  const retriesLeft = limits.mail_retries - failed_attempts
  if (retriesLeft === 0) {
    mails.dropped += 1
    log.error({ mail_id: id, subject, attempts, failures }, 'mail dropped')
    await deleteMail(database.db, id)
    return
  }
  mails.failed += 1
  const remaining = failures.map(({ recipient }) => recipient)
  await countFailure(database.db, id, remaining)
  // Makes the queue retry; whoever runs the jobs logs it.
  const [{ recipient, reason } = { recipient: '', reason: '' }] = failures
  throw new Error(
    `mail ${id}, attempt ${attempts}: ${remaining.length} of ${recipients.length} recipients do not have it; ${recipient}: ${reason}`,
  )
}
