import { ArrowDown, ArrowUp, X } from 'lucide-react'
import { useRead } from '../../api/queries.ts'
import { IconButton } from '../../ui/button.tsx'
import { SelectField, TextField } from '../../ui/field.tsx'
import { useFormat } from '../../ui/format.tsx'
import { whatItGives } from '../../words/gives.ts'
import { voucherText } from './discount-text.ts'
import type { Chosen } from './situation.ts'

interface ChosenRowProps {
  chosen: Chosen
  number: number
  isOnly: boolean
  onEdit: (patch: Partial<Chosen>) => void
  onRemove: () => void
  onMove: (by: -1 | 1) => void
}

/** One code or promotion: what it is, its place among the others, and what its kind can be told. */
export function ChosenRow({ chosen, number, isOnly, onEdit, onRemove, onMove }: ChosenRowProps) {
  const format = useFormat()
  const isVoucher = chosen.object === 'voucher'
  const tier = useRead(
    'GET /v1/promotions/tiers/{promotionTierId}',
    { path: { promotionTierId: chosen.id } },
    { enabled: chosen.object === 'promotion_tier' },
  ).data
  // A list and not the object: a code that does not exist is an answer here and no failure.
  const found = useRead('GET /v1/vouchers', { query: { code: chosen.id, limit: 1 } }, { enabled: isVoucher }).data
  const [voucher] = found?.vouchers ?? []
  const name = chosen.name ?? tier?.name ?? chosen.id
  const kind =
    chosen.object === 'promotion_stack'
      ? 'Promotion stack'
      : isVoucher
        ? found
          ? 'No such code'
          : 'Code'
        : 'Promotion'
  const worth = voucher ? voucherText(voucher, format) : tier?.action ? whatItGives(tier, format) : kind
  return (
    <li className="rounded-md border border-line bg-sunken py-1 pr-1 pl-2.5">
      <div className="flex items-center gap-1">
        {!isOnly && <span className="w-4 shrink-0 text-muted text-xs tabular-nums">{number}</span>}
        <span className="min-w-0 flex-1 py-0.5">
          <span className={isVoucher ? 'block truncate font-mono' : 'block truncate'} title={name}>
            {name}
          </span>
          <span className="block truncate text-muted text-xs">{worth}</span>
        </span>
        {!isOnly && (
          <>
            <IconButton label={`Move ${name} up`} className="size-7" onClick={() => onMove(-1)}>
              <ArrowUp aria-hidden="true" className="size-3.5" />
            </IconButton>
            <IconButton label={`Move ${name} down`} className="size-7" onClick={() => onMove(1)}>
              <ArrowDown aria-hidden="true" className="size-3.5" />
            </IconButton>
          </>
        )}
        <IconButton label={`Remove ${name}`} className="size-7" onClick={onRemove}>
          <X aria-hidden="true" className="size-3.5" />
        </IconButton>
      </div>
      {voucher?.type === 'GIFT_VOUCHER' && (
        <div className="pr-1.5 pb-1.5">
          <TextField
            label={`How much of ${name} to spend`}
            hidesLabel
            inputMode="decimal"
            placeholder="As much as the order takes, or an amount"
            value={chosen.credits ?? ''}
            onChange={(event) => onEdit({ credits: event.target.value })}
          />
        </div>
      )}
      {voucher?.type === 'LOYALTY_CARD' && <RewardFields chosen={chosen} onEdit={onEdit} />}
    </li>
  )
}

/** A loyalty card is used to buy a reward. */
function RewardFields({ chosen, onEdit }: Pick<ChosenRowProps, 'chosen' | 'onEdit'>) {
  const rewards =
    useRead('GET /v1/loyalties/members/{memberId}/rewards', { path: { memberId: chosen.id }, query: {} }).data?.data ??
    []
  const isCoin = rewards.find(({ reward }) => reward.id === chosen.reward)?.reward.type === 'COIN'
  return (
    <div className="space-y-1.5 pr-1.5 pb-1.5">
      <SelectField
        label={`What to spend the points of ${chosen.id} on`}
        hidesLabel
        value={chosen.reward ?? ''}
        onChange={(event) => onEdit({ reward: event.target.value })}
        options={[
          { value: '', label: rewards.length === 0 ? 'This card has no rewards' : 'Choose a reward' },
          ...rewards.map(({ reward, assignment }) => ({
            value: reward.id,
            label: assignment.parameters
              ? `${reward.name} (${assignment.parameters.loyalty.points} points)`
              : reward.name,
          })),
        ]}
      />
      {isCoin && (
        <TextField
          label="Points to spend"
          hidesLabel
          inputMode="numeric"
          placeholder="As many points as the order takes"
          value={chosen.points ?? ''}
          onChange={(event) => onEdit({ points: event.target.value })}
        />
      )}
    </div>
  )
}
