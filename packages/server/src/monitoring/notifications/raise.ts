import { brandingFooter, withFooter } from '../../account/branding/footer.ts'
import type { Ctx } from '../../core/context.ts'
import { toInstant } from '../../core/lib/instant.ts'
import { queueMail } from '../../core/mail/queue-mail.ts'
import { channelsOf, type Notification, repetitionOf } from './kinds.ts'
import { mailOf } from './mail.ts'
import { insertNotification, markRaised } from './store.ts'

/**
 * Raises a notification as the settings of the project say: stores it, queues its mail, both or nothing. A kind that may be raised
 * once in a period is ignored if any node has raised it already. `ctx.db` must be a transaction: a notification that was marked as
 * raised and not stored would be lost. Returns false if the project wants none of this kind.
 */
export async function raiseNotification(ctx: Ctx, notification: Notification): Promise<boolean> {
  const { in_app, emails } = channelsOf(ctx.project, notification.kind)
  if (!in_app && emails.length === 0) return false
  const once = repetitionOf(notification, Date.parse(ctx.now))
  if (once !== null) {
    const isFirst = await markRaised(ctx, {
      kind: notification.kind,
      subject: once.subject,
      expires_at: toInstant(once.expires_at),
    })
    if (!isFirst) return true
  }
  if (in_app) await insertNotification(ctx, notification)
  if (emails.length === 0) return true
  const mail = mailOf(ctx, notification)
  const footer = await brandingFooter(ctx.db, ctx.project_id)
  await queueMail(ctx, { ...mail, to: emails, text: withFooter(mail.text, footer) })
  return true
}
