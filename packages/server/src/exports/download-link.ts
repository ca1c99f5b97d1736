import { createHmac, timingSafeEqual } from 'node:crypto'
import type { Ctx } from '../core/context.ts'
import type { Project } from '../core/db/project-row.ts'
import { limits } from '../core/lib/limits.ts'

/**
 * The address of the file of an export: it needs no credentials and is good for `limits.export_link_hours`. Its token names the
 * project and the end, and is signed with a secret of the project; nothing of it is stored.
 */
export function downloadUrl({ settings, project, now }: Ctx, exportId: string): string {
  const endsAt = Math.floor(Date.parse(now) / 1_000) + limits.export_link_hours * 3_600
  const claim = `${project.id}.${endsAt.toString(36)}`
  return `${settings.base_url}/v1/exports/${exportId}?token=${claim}.${signatureOf(project, exportId, claim)}`
}

/** The project that a token names, before it is verified; null if it is not a token of a download. */
export const projectNamedIn = (token: string): string | null => token.split('.', 3)[0] || null

/** Whether the project issued the token for this export, and it is still good. `now` is in Unix milliseconds. */
export function isGoodToken(
  project: Pick<Project, 'id' | 'tracking_secret'>,
  exportId: string,
  token: string,
  now: number,
): boolean {
  const [projectId, end = '', signature = '', ...more] = token.split('.', 5)
  if (projectId !== project.id || more.length > 0 || end.length > 10) return false
  const expected = Buffer.from(signatureOf(project, exportId, `${projectId}.${end}`))
  const presented = Buffer.from(signature)
  return (
    presented.length === expected.length &&
    timingSafeEqual(presented, expected) &&
    Number.parseInt(end, 36) * 1_000 > now
  )
}

const signatureOf = ({ tracking_secret }: Pick<Project, 'tracking_secret'>, exportId: string, claim: string): string =>
  createHmac('sha256', `export ${tracking_secret}`).update(`${exportId} ${claim}`).digest('base64url')
