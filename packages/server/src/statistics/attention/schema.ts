import { OneOf } from '@guerdon/engine/schema'
import { type Static, Type } from 'typebox'
import { listOf } from '../../core/query/list.ts'

export const AttentionEntry = Type.Object({
  id: Type.String({ description: 'The kind and the object; the same for as long as the matter lasts.' }),
  kind: OneOf([
    'budget_nearly_used',
    'codes_running_out',
    'campaign_ending',
    'webhook_failing',
    'webhook_switched_off',
    'job_failed',
    'many_refusals',
  ]),
  severity: OneOf(['INFO', 'WARNING', 'ERROR']),
  message: Type.String({ description: 'One sentence in English, with the numbers.' }),
  link: Type.Object(
    {
      place: OneOf(['campaign', 'webhook', 'async_action', 'redemptions']),
      id: Type.Optional(Type.String()),
      query: Type.Optional(Type.Record(Type.String(), Type.String())),
    },
    { description: 'Where to look: an object, or a list with its filters.' },
  ),
  data: Type.Record(Type.String(), Type.Unknown(), { description: 'The numbers of the message.' }),
})
export type AttentionEntry = Static<typeof AttentionEntry>

export const AttentionList = listOf('data', AttentionEntry, { total: true })
