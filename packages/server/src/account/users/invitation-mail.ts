import { limits } from '../../core/lib/limits.ts'
import { toOneLine } from '../../core/lib/one-line.ts'
import { withFooter } from '../branding/footer.ts'
import type { UserLink } from './link.ts'
import type { AssignedUser } from './store.ts'

/** The mail to an invited user, in plain text. */
export function invitationMail(
  { email, first_name, projects }: AssignedUser,
  names: ReadonlyArray<{ id: string; name: string }>,
  { link, expires_at }: UserLink,
  footer: string,
): { to: string[]; subject: string; text: string } {
  const listed = names
    .slice(0, limits.invited_projects_listed_max)
    .map(({ id, name }) => `  - ${toOneLine(name)} (${projects[id]})`)
  const others = names.length - listed.length
  const text = [
    first_name === '' ? 'Hello,' : `Hello ${first_name},`,
    '',
    listed.length === 0 ? 'You are invited to Guerdon.' : 'You are invited to Guerdon, with these projects and roles:',
    '',
    ...(listed.length === 0 ? [] : [...listed, ...(others === 0 ? [] : [`  - and ${others} more`]), '']),
    'By this link you set your password for the dashboard:',
    '',
    link,
    '',
    `The link works once, until ${expires_at.slice(0, 16).replace('T', ' ')} UTC. A newer link replaces it.`,
    'If you did not expect this invitation, you can ignore this mail.',
    '',
  ].join('\n')
  return { to: [email], subject: 'Your invitation to Guerdon', text: withFooter(text, footer) }
}
