import { isClientSide } from '../../audience/customers/on-client-side.ts'
import type { ConfiguredCampaign } from '../../core/configuration/configuration.ts'
import type { Ctx } from '../../core/context.ts'

/** Whether the caller could publish codes of this campaign, as far as that depends on the project. A page hears of no others. */
export const mayPublish = (
  ctx: Pick<Ctx, 'caller' | 'project'>,
  _campaign: Pick<ConfiguredCampaign, 'id' | 'name'>,
): boolean => !isClientSide(ctx) || ctx.project.client_publish_enabled
