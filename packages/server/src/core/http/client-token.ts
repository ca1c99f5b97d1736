import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto'
import type { Project } from '../db/project-row.ts'

/**
 * The access token of a client key: it contains what it grants, signed with the secret of the project, and is not stored. Anybody can
 * get one by the public key of a page, so that rows, or a number of them, would be everybody's to use up
 * (docs/decisions/0083-access-tokens-of-pages.md).
 */
interface ClientToken {
  app_id: string
  scope: string
  /** Unix seconds. */
  expires_at: number
}

type Secret = Pick<Project, 'tracking_secret'>

/** What tells it from the token of a server-side key, which has no dot. */
const form = /^([\w-]{1,1000})\.([\w-]{43})$/

/** Two tokens that grant the same differ, so that each is revoked by itself. */
export function newClientToken(project: Secret, { app_id, scope, expires_at }: ClientToken): string {
  const content = JSON.stringify([app_id, scope, expires_at, randomBytes(9).toString('base64url')])
  const text = Buffer.from(content).toString('base64url')
  return `${text}.${signatureOf(project, text).toString('base64url')}`
}

/** What a token says, whoever made it up; null: it has another form. Believe it if `isSigned`. */
export function readClientToken(token: string): ClientToken | null {
  const [, text = ''] = form.exec(token) ?? []
  if (text === '') return null
  try {
    const [appId, scope, expiresAt] = JSON.parse(Buffer.from(text, 'base64url').toString('utf8')) as unknown[]
    if (typeof appId !== 'string' || typeof scope !== 'string' || typeof expiresAt !== 'number') return null
    return { app_id: appId, scope, expires_at: expiresAt }
  } catch {
    return null
  }
}

/** Whether the project has made the token, exactly as it is spelt. */
export function isSigned(project: Secret, token: string): boolean {
  const [, text = '', signature = ''] = form.exec(token) ?? []
  const bytes = Buffer.from(signature, 'base64url')
  return (
    bytes.toString('base64url') === signature &&
    bytes.length === signatureBytes &&
    timingSafeEqual(bytes, signatureOf(project, text))
  )
}

const signatureBytes = 32

const signatureOf = ({ tracking_secret }: Secret, text: string): Buffer =>
  createHmac('sha256', `client token ${tracking_secret}`).update(text).digest()
