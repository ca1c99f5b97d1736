import { isPage } from '../../audience/customers/on-client-side.ts'
import type { Ctx } from '../../core/context.ts'

/** Whether the caller may publish codes of this campaign: a page only of those that the project names. It hears of no others. */
export const mayPublish = (ctx: Pick<Ctx, 'caller' | 'project'>, { id, name }: { id: string; name: string }): boolean =>
  !isPage(ctx) ||
  (ctx.project.client_publish_enabled &&
    ctx.project.client_publish_campaigns.some((listed) => listed === id || listed === name))
