import { Link, useParams } from '@tanstack/react-router'
import type { Schemas } from '../../api/client.ts'
import { CustomerName } from '../../parts/customer-name.tsx'
import { CopyText } from '../../ui/code-block.tsx'
import { Instant, useFormat } from '../../ui/format.tsx'
import { Facts } from '../../ui/page.tsx'
import { codeKinds, usesOf } from '../../words/states.ts'
import { validityWords } from '../../words/validity.ts'

export function CodeFacts({ code }: { code: Schemas['Voucher'] }) {
  const { project } = useParams({ from: '/$project/codes/$code' })
  const { number } = useFormat()
  const times = validityWords(code)
  const rules = code.validation_rules_assignments?.total ?? 0
  return (
    <Facts
      facts={[
        ['Kind', code.is_referral_code ? 'Referral code' : codeKinds[code.type]],
        [
          'Campaign',
          code.campaign_id === null ? (
            'none'
          ) : (
            <Link
              key="campaign"
              to="/$project/codes"
              params={{ project }}
              search={{ campaign: code.campaign_id }}
              className="text-accent hover:underline"
            >
              {code.campaign}
            </Link>
          ),
        ],
        [code.is_referral_code ? 'Referrer' : 'Holder', holderOf(code)],
        ['Used', usedWords(code, number)],
        ['Valid from', code.start_date === null ? 'the beginning' : <Instant key="from" at={code.start_date} />],
        ['Valid until', code.expiration_date === null ? 'no end' : <Instant key="to" at={code.expiration_date} />],
        [
          'Only',
          times.length === 0
            ? undefined
            : times.map((words) => (
                <span key={words} className="block">
                  {words}
                </span>
              )),
        ],
        ['Conditions', rules === 0 ? 'none' : `${number(rules)} ${rules === 1 ? 'rule' : 'rules'}`],
        ['Category', code.category ?? undefined],
        ['Note', code.additional_info ?? undefined],
        ['Made', <Instant key="made" at={code.created_at} />],
        ['Changed', code.updated_at === null ? undefined : <Instant key="changed" at={code.updated_at} />],
        ['Id', <CopyText key="id" text={code.id} />],
      ]}
    />
  )
}

function holderOf({ holder_id, publish }: Schemas['Voucher']) {
  if (holder_id) return <CustomerName id={holder_id} />
  return publish.count > 0 ? 'a deleted customer' : 'nobody yet'
}

function usedWords(code: Schemas['Voucher'], number: (value: number) => string): string {
  const { quantity, redeemed_quantity: used } = code.redemption
  const times = (quantity ?? used) === 1 ? 'time' : 'times'
  return `${usesOf(code, number)} ${times}${quantity === null ? ', no limit' : ''}`
}
