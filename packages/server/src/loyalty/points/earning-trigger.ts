import type { EarningEvent } from '@guerdon/engine/schema'
import type { Goods } from '../../catalogue/products/goods.ts'
import type { CustomEvent, SimpleEvent, SimpleSegment } from '../../core/events/shapes.ts'
import type { StoredOrder } from '../../orders/order.ts'
import type { LoyaltyUnitOfWork } from './card.ts'

/** An event of a customer for which earning rules may pay. */
export interface EarningTrigger {
  /** The event as earning rules match it. */
  event: EarningEvent
  /** The emitted event, as transactions refer to it. */
  source_event: SimpleEvent
  order?: StoredOrder
  /** The products and SKUs of its lines, if already loaded. */
  goods?: Goods
  custom_event?: { event: CustomEvent; schema: { id: string; name: string } }
  segment?: SimpleSegment
  /** If set, only this card may earn. */
  only_card?: string
}

export const simpleEvent = (
  { ctx }: Pick<LoyaltyUnitOfWork, 'ctx'>,
  id: string,
  type: string,
  entityId: string,
): SimpleEvent => ({
  id,
  type,
  category: 'EFFECT',
  entity_id: entityId,
  created_at: ctx.now,
  group_id: ctx.request_id,
})
