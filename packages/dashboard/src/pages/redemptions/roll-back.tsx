import { useNavigate } from '@tanstack/react-router'
import { Undo2 } from 'lucide-react'
import { useState } from 'react'
import { useForm } from 'react-hook-form'
import { useChange } from '../../api/queries.ts'
import { useMayChange, useProject } from '../../api/session.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { TextField } from '../../ui/field.tsx'
import { useFormat } from '../../ui/format.tsx'
import { FailureNotice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import type { Redemption } from './entry.ts'
import { givenBack, isTooOld, type RollbackMode } from './given-back.ts'

interface RollBackProps {
  redemption: Redemption
  parent: string | undefined
  parts: readonly Redemption[]
  mode: RollbackMode | undefined
}

/** Takes a redemption back. What was redeemed together goes back together: the service refuses anything less. */
export function RollBackButton(props: RollBackProps) {
  const [isOpen, setIsOpen] = useState(false)
  const mayChange = useMayChange()
  if (!mayChange) return null
  const tooOld = isTooOld(props.redemption.date, new Date())
  return (
    <>
      <Button
        look="danger"
        icon={<Undo2 aria-hidden="true" className="size-4" />}
        disabled={tooOld}
        title={tooOld ? 'Older than three months: the service no longer rolls it back.' : undefined}
        onClick={() => setIsOpen(true)}
      >
        Roll back
      </Button>
      <Dialog title="Roll back" about={aboutOf(props)} isOpen={isOpen} onClose={() => setIsOpen(false)}>
        <RollBackForm {...props} onClose={() => setIsOpen(false)} />
      </Dialog>
    </>
  )
}

function aboutOf({ redemption, parent, parts }: RollBackProps): string {
  if (parent === undefined) return 'Takes back what this redemption used. It stays in the list, marked as rolled back.'
  const count = parts.filter(({ result }) => result === 'SUCCESS').length
  return redemption.id === parent
    ? `Takes back all ${count} that were redeemed together. They can only be rolled back together.`
    : `This is one of ${count} that were redeemed together. They can only be rolled back together, so all of them are.`
}

function RollBackForm({ redemption, parent, parts, mode, onClose }: RollBackProps & { onClose: () => void }) {
  const format = useFormat()
  const { id: project } = useProject()
  const navigate = useNavigate()
  const say = useToast()
  const one = useChange('POST /v1/redemptions/{redemptionId}/rollback')
  const several = useChange('POST /v1/redemptions/{parentRedemptionId}/rollbacks')
  const { register, handleSubmit, formState, watch } = useForm({ defaultValues: { reason: '' } })
  const reason = watch('reason').trim()
  const submit = handleSubmit(async () => {
    const body = { reason }
    try {
      if (parent === undefined) await one.mutateAsync({ path: { redemptionId: redemption.id }, body })
      else await several.mutateAsync({ path: { parentRedemptionId: parent }, body })
    } catch {
      return // said above the buttons
    }
    onClose()
    say('Rolled back', 'The page shows what was given back.')
    await navigate({ to: '/$project/redemptions/$redemption', params: { project, redemption: redemption.id } })
  })
  return (
    <form onSubmit={(event) => void submit(event)} noValidate>
      <h3 className="mb-1.5 font-medium text-xs">What is given back</h3>
      <ul className="mb-4 list-disc space-y-1 pl-4">
        {givenBack(redemption, parts, mode, format).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
      <TextField
        label="Reason"
        hint="Colleagues read it on this page and in the list."
        placeholder="Goods were sent back"
        autoComplete="off"
        maxLength={250}
        error={formState.errors.reason?.message}
        {...register('reason', { validate: (text) => text.trim() !== '' || 'Say why, so that colleagues understand.' })}
      />
      <div className="mt-4 empty:hidden">
        <FailureNotice failure={one.error ?? several.error} />
      </div>
      <DialogActions>
        <div className="mr-auto">
          {parent === undefined ? (
            <CopyCall
              name="POST /v1/redemptions/{redemptionId}/rollback"
              input={{ path: { redemptionId: redemption.id }, body: { reason } }}
              method="rollBackRedemption"
              look="quiet"
            />
          ) : (
            <CopyCall
              name="POST /v1/redemptions/{parentRedemptionId}/rollbacks"
              input={{ path: { parentRedemptionId: parent }, body: { reason } }}
              method="rollBackRedemptions"
              look="quiet"
            />
          )}
        </div>
        <Button onClick={onClose}>Cancel</Button>
        <Button type="submit" look="primary" isBusy={one.isPending || several.isPending}>
          {parent === undefined ? 'Roll back' : 'Roll all back'}
        </Button>
      </DialogActions>
    </form>
  )
}
