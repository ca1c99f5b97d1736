import { sql } from 'kysely'
import { expect } from 'vitest'
import type { StoredEvent, StoredEventList } from '../monitoring/events/schema.ts'
import type { Shop, TestService } from './app.ts'
import { until } from './background.ts'

export async function pageOfEvents(shop: Shop, query: Record<string, string> | string = {}): Promise<StoredEventList> {
  const answer = await shop.manage('GET', `/events?${new URLSearchParams(query)}`)
  expect(answer.status, JSON.stringify(answer.body)).toBe(200)
  return answer.body
}

/** Every page from the cursor on, until there are no more events for now. */
export async function walkEvents(
  shop: Shop,
  query: Record<string, string> = {},
): Promise<{ events: StoredEvent[]; cursor: string; pages: StoredEventList[] }> {
  const pages: StoredEventList[] = []
  let { cursor } = query
  for (;;) {
    const page = await pageOfEvents(shop, { ...query, ...(cursor !== undefined && { cursor }) })
    pages.push(page)
    cursor = page.cursor
    if (!page.has_more) return { events: pages.flatMap(({ data }) => data), cursor, pages }
  }
}

/** The ids of all events of the project, oldest first. */
export async function storedEventIds({ service, project_id }: Shop): Promise<string[]> {
  const { rows } = await sql<{ id: string }>`select id from event_rows where project_id = ${project_id}
    order by position, right(id, 18) collate "C", id`.execute(service.runtime.database.db)
  return rows.map(({ id }) => id)
}

/** Waits until the events written so far are final: transactions of other tests on the same server may be older. */
export async function untilFinal({
  service,
  project_id,
}: Pick<Shop, 'project_id'> & { service: Pick<TestService, 'runtime'> }): Promise<void> {
  await until(async () => {
    const { rows } = await sql<{ is_final: boolean }>`
      select coalesce(max(position), 0) < (select pg_snapshot_xmin(pg_current_snapshot())::text::bigint + shift
        from event_positions) as is_final
      from event_rows where project_id = ${project_id}`.execute(service.runtime.database.db)
    return rows[0]?.is_final === true ? true : undefined
  })
}
