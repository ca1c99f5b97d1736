import type { InstallationCtx } from '../context.ts'
import { limits } from '../lib/limits.ts'
import { toOneLine } from '../lib/one-line.ts'
import { insertMail } from './store.ts'

/** A mail in plain text. */
export interface Mail {
  to: readonly string[]
  subject: string
  text: string
}

/**
 * Queues a mail in the caller's transaction: it is sent if and only if the transaction commits, by any node
 * (core/mail/work-mails.ts). Without recipients nothing is queued.
 */
export async function queueMail(ctx: Pick<InstallationCtx, 'db' | 'jobs' | 'afterCommit'>, mail: Mail): Promise<void> {
  const recipients = [...new Set(mail.to)].slice(0, limits.mail_recipients_max)
  if (recipients.length === 0) return
  const mailId = await insertMail(ctx.db, {
    recipients,
    subject: toOneLine(mail.subject).slice(0, limits.mail_subject_length_max).toWellFormed(),
    text: storable(mail.text.slice(0, limits.mail_text_length_max)),
  })
  await ctx.jobs.send(ctx, 'mail', { mail_id: mailId })
}

/** Without what PostgreSQL cannot store as text. */
const storable = (text: string): string => text.replaceAll('\0', '').toWellFormed()
