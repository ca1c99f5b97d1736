import { Link, useParams } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { useRead } from '../../api/queries.ts'
import { CodeStateView } from '../../parts/code-state-view.tsx'
import { CopyButton } from '../../ui/code-block.tsx'
import { useFormat } from '../../ui/format.tsx'
import { KeyValues } from '../../ui/key-values.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Notice } from '../../ui/state.tsx'
import { whatItGives } from '../../words/gives.ts'
import { statusOf } from '../../words/states.ts'
import { CodeActions } from './code-actions.tsx'
import { BalancePanel } from './code-balance.tsx'
import { CodeFacts } from './code-facts.tsx'
import { CodeImages } from './code-images.tsx'
import { PublicationsPanel } from './code-publications.tsx'
import { UsesPanel } from './code-uses.tsx'

/** One code: what it gives and whether it works, what happened to it, and what can be done. */
export function CodeView({ code }: { code: Schemas['Voucher'] }) {
  const { project } = useParams({ from: '/$project/codes/$code' })
  const format = useFormat()
  const [now] = useState(Date.now)
  const campaign = useRead(
    'GET /v1/campaigns/{campaignId}',
    { path: { campaignId: code.campaign_id ?? '' } },
    { enabled: code.campaign_id !== null },
  )
  const isCampaignOff = campaign.data?.active === false
  const status = statusOf(code, now, !isCampaignOff)
  return (
    <Page
      title={code.code}
      above={
        <Link to="/$project/codes" params={{ project }} className="hover:underline">
          Codes
        </Link>
      }
      heading={
        <span className="flex items-center gap-1">
          <span className="min-w-0 break-all font-mono">{code.code}</span>
          <CopyButton text={code.code} label="Copy the code" />
        </span>
      }
      about={
        <span className="flex flex-wrap items-center gap-x-3 gap-y-1">
          <span className="font-medium text-ink">{whatItGives(code, format)}</span>
          <CodeStateView code={code} status={status} />
        </span>
      }
      actions={<CodeActions code={code} isWorking={status === 'ACTIVE'} />}
    >
      {isCampaignOff && code.active && (
        <div className="mb-5">
          <Notice tone="warn" title="The campaign of this code is switched off">
            None of its codes can be used, whatever their own state is.
          </Notice>
        </div>
      )}
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="min-w-0 space-y-5">
          {(code.gift || code.loyalty_card) && <BalancePanel code={code} />}
          <UsesPanel code={code} />
          <PublicationsPanel code={code} />
        </div>
        <div className="min-w-0 space-y-5">
          <Panel title="Facts">
            <CodeFacts code={code} />
          </Panel>
          <CodeImages code={code} />
          <Panel title="Metadata">
            <KeyValues values={code.metadata} empty="None. Metadata are values of your own, such as a channel." />
          </Panel>
        </div>
      </div>
    </Page>
  )
}
