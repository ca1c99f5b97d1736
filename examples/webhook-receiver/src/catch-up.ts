import { type Guerdon, unwrap } from '@guerdon/client'
import type { EventStore, KeptEvent } from './event-store.ts'
import { followed } from './followed.ts'

/**
 * Reads the list of events from where the last reading ended, and tells of those that no webhook has brought: the receiver was away for
 * longer than deliveries are repeated. Returns how many there were.
 */
export async function catchUp(
  guerdon: Guerdon,
  project: { projectId: string },
  store: EventStore,
  tell: (event: KeptEvent) => void,
): Promise<number> {
  let missed = 0
  for (let hasMore = true; hasMore; ) {
    const cursor = store.cursor()
    const page = unwrap(
      await guerdon.listEvents(project, {
        limit: 100,
        type: [...followed],
        ...(cursor === undefined ? {} : { cursor }),
      }),
    )
    const added = store.keepPage(page.data, page.cursor)
    for (const event of added) tell(event)
    missed += added.length
    hasMore = page.has_more
  }
  return missed
}
