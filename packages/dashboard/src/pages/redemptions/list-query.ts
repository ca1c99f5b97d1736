import type { Input } from '../../api/client.ts'
import { addDays, isDay, startOfDay } from '../../ui/days.ts'

export interface ListSearch {
  result?: string
  campaign?: string
  code?: string
  customer?: string
  from?: string
  to?: string
  reason?: string
}

type Query = NonNullable<Input<'GET /v1/redemptions'>['query']>

export const resultChoices = [
  { value: 'success', label: 'Redeemed' },
  { value: 'failure', label: 'Refused' },
  { value: 'rollback', label: 'Rollbacks' },
] as const

/** The filters of the address as the API takes them. Days are days of the project. */
export function listQuery(search: ListSearch, timezone: string): Query {
  const filters: Record<string, unknown> = {}
  const is = (field: string, value: string | undefined) => {
    if (value) filters[field] = { conditions: { $is: [value] } }
  }
  is('voucher_code', search.code?.trim())
  is('failure_code', search.reason)
  // The palette and the overview know ids, a person may have typed a name.
  if (search.campaign?.startsWith('camp_')) is('related_object_parent_id', search.campaign)
  if (search.result === 'success') is('object', 'redemption')
  if (search.result === 'rollback') is('object', 'redemption_rollback')
  const created: { after?: string; before?: string } = {}
  // The bounds of the API are strict: the last millisecond before the day.
  if (isDay(search.from)) created.after = new Date(startOfDay(search.from, timezone).getTime() - 1).toISOString()
  if (isDay(search.to)) created.before = startOfDay(addDays(search.to, 1), timezone).toISOString()
  return {
    ...(search.result === 'success' && { result: ['SUCCESS'] as const satisfies string[] }),
    ...(search.result === 'failure' && { result: ['FAILURE'] as const satisfies string[] }),
    ...(search.campaign && !search.campaign.startsWith('camp_') && { campaign: search.campaign }),
    ...(search.customer && { customer: search.customer }),
    ...(Object.keys(created).length > 0 && { created_at: created }),
    ...(Object.keys(filters).length > 0 && { filters }),
  }
}

export const isFiltered = (search: ListSearch) =>
  Object.values(search).some((value) => value !== undefined && value !== '')
