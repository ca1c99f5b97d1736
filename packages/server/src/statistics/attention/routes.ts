import { operation } from '../../core/http/operation.ts'
import { listed } from '../../core/query/list.ts'
import { listMatters } from './list.ts'
import { AttentionList } from './schema.ts'

export const attention = [
  operation({
    id: 'listAttention',
    method: 'GET',
    path: '/v1/attention',
    summary: 'List what needs attention',
    description:
      'Campaigns that have used 80 % of their budget, run out of codes or end within a week, webhooks that fail or were switched off, jobs that failed, and reasons for which many redemptions were refused; the most severe first.',
    reply: AttentionList,
    errors: [],
    run: async (ctx) => {
      const entries = await listMatters(ctx)
      return listed('data', entries, { total: entries.length })
    },
  }),
]
