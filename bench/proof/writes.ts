import { setTimeout as wait } from 'node:timers/promises'
import { type Load, stretch } from '../measure.ts'
import { type BenchShop, query } from '../shop.ts'

/** What one request writes to the database, on average. */
export interface Writes {
  name: string
  wal_bytes: number
  /** Full images of pages, which the first change after a checkpoint logs; part of `wal_bytes`. */
  page_image_bytes: number
  wal_records: number
  index_entries: number
}

/** Counts the WAL records of some seconds of requests at one connection, with what the service writes behind its answers. */
export async function writesOf(shop: BenchShop, load: Load): Promise<Omit<Writes, 'name'>> {
  await query(shop, 'create extension if not exists pg_walinspect')
  const [{ from }] = await query(shop, 'select pg_current_wal_insert_lsn() as from')
  const { waits } = await stretch(load, 1, 3)
  await wait(1_000)
  const [{ wal_bytes, page_image_bytes, wal_records, index_entries }] = await query(
    shop,
    `select sum(combined_size)::float8 as wal_bytes, sum(fpi_size)::float8 as page_image_bytes, sum(count)::float8 as wal_records,
      sum(count) filter (where "resource_manager/record_type" ~ '^(Btree/(INSERT|SPLIT)|Gin/INSERT)')::float8 as index_entries
    from pg_get_wal_stats($1, pg_current_wal_flush_lsn(), true)`,
    [from],
  )
  const perRequest = (total: number) => total / waits.length
  return {
    wal_bytes: perRequest(wal_bytes),
    page_image_bytes: perRequest(page_image_bytes),
    wal_records: perRequest(wal_records),
    index_entries: perRequest(index_entries),
  }
}
