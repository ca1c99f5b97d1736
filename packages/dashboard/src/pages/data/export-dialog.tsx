import { useState } from 'react'
import { useChange } from '../../api/queries.ts'
import { useProject } from '../../api/session.ts'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { CheckField } from '../../ui/field.tsx'
import { FailureNotice } from '../../ui/state.tsx'
import { useToast } from '../../ui/toast.tsx'
import { exportKinds } from './export-kinds.ts'

interface ExportDialogProps {
  isOpen: boolean
  chosen: string | undefined
  onClose: () => void
  onMade: () => void
}

export function ExportDialog({ isOpen, chosen, onClose, onMade }: ExportDialogProps) {
  return (
    <Dialog
      title="Make an export"
      about="A CSV file with every record of one kind, written in the background."
      isOpen={isOpen}
      onClose={onClose}
    >
      <ExportForm chosen={chosen} onClose={onClose} onMade={onMade} />
    </Dialog>
  )
}

function ExportForm({ chosen, onClose, onMade }: Omit<ExportDialogProps, 'isOpen'>) {
  const make = useChange('POST /v1/exports')
  const toast = useToast()
  const { role } = useProject()
  const kinds = exportKinds.filter(({ roles }) => roles === undefined || roles.includes(role))
  const [id, setId] = useState(kinds.some((kind) => kind.id === chosen) ? chosen : 'voucher')
  const [isWhole, setIsWhole] = useState(true)
  const kind = kinds.find((entry) => entry.id === id)
  const body = {
    exported_object: id,
    ...(isWhole && { parameters: { fields: [...(kind?.fields ?? [])] } }),
  } as NonNullable<Parameters<typeof make.mutate>[0]['body']>
  const done = () => {
    toast('The export is being written', 'It can be downloaded as soon as it is ready.')
    onMade()
  }
  return (
    <div className="space-y-4">
      <FailureNotice failure={make.error} />
      <fieldset>
        <legend className="mb-1 font-medium text-xs">What</legend>
        <div className="divide-y divide-line rounded-md border border-line-strong">
          {kinds.map(({ id: value, name, about }) => (
            <label
              key={value}
              className="flex items-baseline gap-2.5 px-3 py-1.5 hover:bg-sunken/60 has-checked:bg-accent-soft"
            >
              <input
                type="radio"
                name="exported"
                className="size-4 shrink-0 translate-y-0.5 accent-accent"
                checked={id === value}
                onChange={() => setId(value)}
              />
              <span className="min-w-0">
                <span className="font-medium">{name}</span> <span className="text-muted text-xs">{about}</span>
              </span>
            </label>
          ))}
        </div>
      </fieldset>
      <CheckField
        label="All columns"
        hint="Otherwise the few usual ones."
        checked={isWhole}
        onChange={(event) => setIsWhole(event.target.checked)}
      />
      <DialogActions>
        <CopyCall name="POST /v1/exports" input={{ body }} method="createExport" look="quiet" />
        <Button onClick={onClose}>Cancel</Button>
        <Button look="primary" isBusy={make.isPending} onClick={() => make.mutate({ body }, { onSuccess: done })}>
          Make the export
        </Button>
      </DialogActions>
    </div>
  )
}
