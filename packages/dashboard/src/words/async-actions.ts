import type { Schemas } from '../api/client.ts'
import type { Tone } from '../ui/state.tsx'

export type Action = Schemas['AsyncActionBase']
type Kind = Action['type']

const kinds: Record<Kind, string> = {
  'CAMPAIGN.VOUCHERS_GENERATE': 'Make codes for a campaign',
  'CAMPAIGN.VOUCHERS_UPDATE': 'Carry a change of a campaign to its codes',
  'CAMPAIGN.VOUCHERS_DELETE': 'Delete a campaign and its codes',
  'CAMPAIGN.VOUCHERS_IMPORT': 'Import codes into a campaign',
  'CAMPAIGN.VOUCHERS_IMPORT_CSV': 'Import codes into a campaign from a file',
  'VOUCHERS.IMPORT': 'Import codes',
  'VOUCHERS.IMPORT_CSV': 'Import codes from a file',
  'VOUCHERS.BULK_UPDATE': 'Change many codes',
  'VOUCHERS.METADATA_UPDATE': 'Change the metadata of many codes',
  'CUSTOMERS.IMPORT_CSV': 'Import customers from a file',
  'CUSTOMERS.BULK_UPDATE': 'Change many customers',
  'CUSTOMERS.METADATA_UPDATE': 'Change the metadata of many customers',
  'PRODUCTS.IMPORT_CSV': 'Import products from a file',
  'PRODUCTS.BULK_UPDATE': 'Change many products',
  'PRODUCTS.METADATA_UPDATE': 'Change the metadata of many products',
  'SKUS.IMPORT_CSV': 'Import product variants from a file',
  'ORDERS.IMPORT': 'Import orders',
  'CAMPAIGNS.METADATA_KEY_PURGE': 'Remove a metadata key from campaigns',
  'CUSTOMERS.METADATA_KEY_PURGE': 'Remove a metadata key from customers',
  'PRODUCTS.METADATA_KEY_PURGE': 'Remove a metadata key from products',
  'VOUCHERS.METADATA_KEY_PURGE': 'Remove a metadata key from codes',
  'ORDERS.METADATA_KEY_PURGE': 'Remove a metadata key from orders',
}

/** What the work is, in words. */
export const kindOf = (type: string): string => kinds[type as Kind] ?? type

export const isRunning = ({ status }: Pick<Action, 'status'>): boolean =>
  status === 'ENQUEUED' || status === 'IN_PROGRESS'

/** How it stands: work that came to its end with records that failed is neither a success nor a failure. */
export function stateOf({ status, operation_status: outcome }: Pick<Action, 'status' | 'operation_status'>): {
  tone: Tone
  text: string
} {
  if (status === 'ENQUEUED') return { tone: 'neutral', text: 'Waiting' }
  if (status === 'IN_PROGRESS') return { tone: 'info', text: 'Running' }
  if (status === 'FAILED') return { tone: 'bad', text: 'Failed' }
  return outcome === 'FAILED' ? { tone: 'warn', text: 'Done, with errors' } : { tone: 'good', text: 'Done' }
}

/** `1.2 s`, `3 min 20 s`: how long it took. */
export function durationText(ms: number): string {
  if (ms < 1000) return `${Math.round(ms)} ms`
  const seconds = ms / 1000
  if (seconds < 60) return `${seconds.toFixed(1)} s`
  const minutes = Math.floor(Math.round(seconds) / 60)
  if (minutes < 60) return `${minutes} min ${Math.round(seconds) % 60} s`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}
