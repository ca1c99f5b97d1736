import type { EarningEvent } from '@guerdon/engine/schema'
import type { Goods } from '../../catalogue/products/goods.ts'
import type { CustomEvent, SimpleEvent, SimpleSegment } from '../../core/events/shapes.ts'
import type { StoredOrder } from '../../orders/order.ts'
import type { LoyaltyUnitOfWork } from './card.ts'

/** Something that happened to a customer and may pay. */
export interface EarningTrigger {
  /** In the words of earning rules. */
  event: EarningEvent
  /** The event that told of it, as transactions name it. */
  told: SimpleEvent
  order?: StoredOrder
  /** What the catalogue knows of its lines, where that was looked up already. */
  goods?: Goods
  custom_event?: { event: CustomEvent; schema: { id: string; name: string } }
  segment?: SimpleSegment
  /** Only this card may earn. */
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
