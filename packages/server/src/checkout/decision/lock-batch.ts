import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { Trx } from '../../core/db/transaction.ts'
import { limits } from '../../core/lib/limits.ts'
import type { LookupKeys } from './lookup-batcher.ts'

const lock = preparedStatement<object>('select checkout_lock($1, $2, $3, $4, $5)')

/** Locks the customers and vouchers that the redemptions of a batch may change, until the end of the transaction. */
export async function lockBatch(
  trx: Trx,
  projectId: string,
  { code_keys, customer_sources, customer_ids }: LookupKeys,
): Promise<void> {
  await lock(trx, [projectId, code_keys, customer_sources, customer_ids, `${limits.checkout_lock_seconds}s`])
}
