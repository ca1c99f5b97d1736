import { type Guerdon, unwrap } from '@guerdon/client'
import { followed } from './followed.ts'

/** Makes the webhook that sends to this address, unless an earlier start has made it. */
export async function subscribe(guerdon: Guerdon, project: { projectId: string }, targetUrl: string): Promise<void> {
  const { data } = unwrap(await guerdon.listWebhooks(project))
  if (data.some(({ target_url }) => target_url === targetUrl)) return
  unwrap(await guerdon.createWebhook(project, { target_url: targetUrl, events: [...followed] }))
}
