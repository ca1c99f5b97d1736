import type { Schemas } from '../../api/client.ts'
import { useSession } from '../../api/session.ts'
import { CodeBlock } from '../../ui/code-block.tsx'
import { Instant } from '../../ui/format.tsx'
import { Notice } from '../../ui/state.tsx'

interface InvitationLinkProps {
  invitation: Schemas['Invitation']
  /** A second link within a minute is not mailed. */
  isRenewal?: boolean
}

/** The link by which somebody sets their password: shown to whoever invited them, mailed or not. */
export function InvitationLink({
  invitation: { user, link, expires_at: end },
  isRenewal = false,
}: InvitationLinkProps) {
  const { mail } = useSession().features
  const mailed = isRenewal
    ? `A mail with the link goes to ${user.email}, unless one went there within the last minute.`
    : `A mail with the link is on its way to ${user.email}.`
  return (
    <div className="space-y-3">
      <Notice tone={mail ? 'good' : 'warn'} title={mail ? mailed : 'No mail was sent: pass this link on yourself.'}>
        {!mail && 'This service has no mail server (the setting SMTP_URL).'}
      </Notice>
      {link && <CodeBlock text={link} wraps />}
      <p className="text-muted">
        It works once, until <Instant at={end} />. Whoever has it can set the password: hand it on as you would a
        password. A new link ends this one.
      </p>
    </div>
  )
}
