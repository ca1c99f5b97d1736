import type { Ctx } from '../core/context.ts'
import type { SimpleEvent, SimpleSegment } from '../core/events/shapes.ts'
import type { StoredCustomer } from './customers/customer.ts'

/** The active segments that one customer has entered, each with its event `customer.segment.entered`. */
export interface SegmentEntries {
  customer_id: string
  entries: ReadonlyArray<{ segment: SimpleSegment; event: SimpleEvent }>
}

declare module '../core/reactions.ts' {
  interface Reactions {
    /** Customers have entered active segments; their events are written. */
    segmentsEntered: (ctx: Ctx, entries: readonly SegmentEntries[]) => Promise<void>
    /**
     * A customer is being deleted permanently: its own events are gone, its row and its orders still exist. Returns how many
     * further events about it the reactions have deleted.
     */
    customerErased: (ctx: Ctx, id: StoredCustomer['id']) => Promise<number>
  }
}
