import { Link, useParams } from '@tanstack/react-router'
import { FlaskConical } from 'lucide-react'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { sentenceOf } from '../../api/failures.ts'
import { useChange } from '../../api/queries.ts'
import { useMayChange } from '../../api/session.ts'
import { AdjustBalance } from '../../parts/adjust-balance.tsx'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button, buttonClasses } from '../../ui/button.tsx'
import { useToast } from '../../ui/toast.tsx'
import { GiveCode } from './give-code.tsx'

/** What can be done with a code. */
export function CodeActions({ code, isWorking }: { code: Schemas['Voucher']; isWorking: boolean }) {
  const { project } = useParams({ from: '/$project/codes/$code' })
  const mayChange = useMayChange()
  const [open, setOpen] = useState<'adjust' | 'give' | null>(null)
  const close = () => setOpen(null)
  // A loyalty card counts points for its holder, in its program.
  const hasBalance = code.gift !== null || (code.loyalty_card !== null && !!code.holder_id && code.campaign_id !== null)
  return (
    <>
      <CopyCall name="GET /v1/vouchers/{code}" input={{ path: { code: code.code } }} method="getVoucher" />
      {mayChange && <Switch code={code} />}
      {mayChange && code.publish.count === 0 && <Button onClick={() => setOpen('give')}>Give to a customer</Button>}
      {mayChange && hasBalance && (
        <Button onClick={() => setOpen('adjust')}>{code.gift ? 'Adjust balance' : 'Adjust points'}</Button>
      )}
      {mayChange && (
        <Link
          to="/$project/simulator"
          params={{ project }}
          search={{ code: code.code, ...(code.holder_id && { customer: code.holder_id }) }}
          className={buttonClasses('primary')}
        >
          <FlaskConical aria-hidden="true" className="size-4" />
          {isWorking ? 'Try in the simulator' : 'Why does it not work?'}
        </Link>
      )}
      <AdjustBalance code={code} isOpen={open === 'adjust'} onClose={close} />
      <GiveCode code={code} isOpen={open === 'give'} onClose={close} />
    </>
  )
}

/** On and off: nothing is lost either way, so it is done at once. */
function Switch({ code }: { code: Schemas['Voucher'] }) {
  const say = useToast()
  const enable = useChange('POST /v1/vouchers/{code}/enable')
  const disable = useChange('POST /v1/vouchers/{code}/disable')
  const change = code.active ? disable : enable
  const toggle = () =>
    change.mutate(
      { path: { code: code.id } },
      {
        onSuccess: () => say(code.active ? `${code.code} is switched off` : `${code.code} is switched on`),
        onError: (failure) => say('Nothing was changed', sentenceOf(failure)),
      },
    )
  return (
    <Button isBusy={change.isPending} onClick={toggle}>
      {code.active ? 'Switch off' : 'Switch on'}
    </Button>
  )
}
