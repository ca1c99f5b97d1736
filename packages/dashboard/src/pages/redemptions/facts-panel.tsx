import { Link } from '@tanstack/react-router'
import { useProject } from '../../api/session.ts'
import { CopyText } from '../../ui/code-block.tsx'
import { Count, Instant, Money } from '../../ui/format.tsx'
import { Facts, Panel } from '../../ui/page.tsx'
import { Status } from '../../ui/state.tsx'
import { refusalName } from '../../words/refusals.ts'
import { customerName, type Entry, isRollback, orderName, resultOf, takenOff } from './entry.ts'

const link = 'text-accent hover:underline'

/** Everything that is known about it, line by line. */
export function FactsPanel({ entry, parent }: { entry: Entry; parent: string | undefined }) {
  const { id: project } = useProject()
  const { tone, text } = resultOf(entry)
  const { voucher, promotion_tier: tier, customer, order } = entry
  const campaign = voucher?.campaign_id ?? tier?.campaign_id
  const off = takenOff(entry)
  const metadata = Object.entries(entry.metadata ?? {})
  const code = voucher && (
    <Link to="/$project/codes/$code" params={{ project, code: voucher.code }} className={`${link} break-all font-mono`}>
      {voucher.code}
    </Link>
  )
  const ofCampaign = campaign && (
    <Link to="/$project/redemptions" params={{ project }} search={{ campaign }} className={link}>
      {voucher?.campaign ?? 'Redemptions of it'}
    </Link>
  )
  const ofCustomer = customer ? (
    <Link to="/$project/customers/$customer" params={{ project, customer: customer.id }} className={link}>
      {customerName(customer)}
    </Link>
  ) : (
    <span className="text-muted">none</span>
  )
  const partOf = parent !== undefined && parent !== entry.id && (
    <Link to="/$project/redemptions/$redemption" params={{ project, redemption: parent }} className={link}>
      a redemption of several
    </Link>
  )
  const result = <Status tone={tone}>{text}</Status>
  const when = <Instant at={entry.date} />
  const orderId = order && <span className="break-all font-mono">{orderName(order)}</span>
  const takenOffOrder = off !== undefined && !isRollback(entry) && <Money cents={off} />
  const credits = entry.gift && <Money cents={entry.gift.amount} />
  const points = entry.loyalty_card && <Count value={entry.loyalty_card.points} />
  const id = <Id text={entry.id} />
  return (
    <Panel title="Facts">
      <Facts
        facts={[
          ['Result', result],
          ['Reason', entry.failure_code && refusalName(entry.failure_code)],
          ['When', when],
          ['Code', code || undefined],
          ['Promotion', tier?.name],
          ['Campaign', ofCampaign || undefined],
          ['Customer', ofCustomer],
          ['Order', orderId || undefined],
          ['Taken off', takenOffOrder || undefined],
          ['Credits', credits],
          ['Points', points],
          ['Reward', entry.reward?.name],
          ['Part of', partOf || undefined],
          ['Made by', entry.channel.channel_type === 'AUTO_REDEEM' ? 'Automatic reward' : 'The API'],
          ['Id', id],
        ]}
      />
      {metadata.length > 0 && (
        <>
          <h3 className="mt-4 mb-2 border-line border-t pt-3 font-medium text-xs">Metadata</h3>
          <Facts facts={metadata.map(([key, value]) => [key, written(value)])} />
        </>
      )}
    </Panel>
  )
}

/** Small enough for one line. */
function Id({ text }: { text: string }) {
  return (
    <span className="text-xs">
      <CopyText text={text} />
    </span>
  )
}

function written(value: unknown): string {
  if (value === true) return 'yes'
  if (value === false) return 'no'
  return typeof value === 'object' && value !== null ? JSON.stringify(value) : String(value ?? 'empty')
}
