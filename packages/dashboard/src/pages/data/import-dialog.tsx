import { useMutation, useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { type ApiFailure, call, type Input, type Schemas } from '../../api/client.ts'
import { useProject } from '../../api/session.ts'
import { type CampaignChoice, ChooseCampaign } from '../../parts/choose-campaign.tsx'
import { CopyCall } from '../../parts/copy-call.tsx'
import { Button } from '../../ui/button.tsx'
import { Dialog, DialogActions } from '../../ui/dialog.tsx'
import { SelectField } from '../../ui/field.tsx'
import { saveFile } from '../../ui/save-file.ts'
import { FailureNotice, Notice } from '../../ui/state.tsx'
import { ChooseFile, type ChosenFile } from './choose-file.tsx'
import { type ImportId, importKinds, missingColumns, repeatedColumns } from './import-kinds.ts'
import { ImportPreview } from './import-preview.tsx'

interface ImportDialogProps {
  isOpen: boolean
  chosen: string | undefined
  onClose: () => void
}

export function ImportDialog({ isOpen, chosen, onClose }: ImportDialogProps) {
  return (
    <Dialog
      title="Import a file"
      about="From a CSV file, row by row. A row with a fault fails alone; the others go in."
      isOpen={isOpen}
      onClose={onClose}
      size="wide"
    >
      <ImportForm
        chosen={chosen !== undefined && chosen in importKinds ? (chosen as ImportId) : 'codes'}
        onClose={onClose}
      />
    </Dialog>
  )
}

const options = Object.entries(importKinds).map(([value, { name }]) => ({ value, label: name }))

function ImportForm({ chosen, onClose }: { chosen: ImportId; onClose: () => void }) {
  const { id: project } = useProject()
  const navigate = useNavigate()
  const client = useQueryClient()
  const [id, setId] = useState<ImportId>(chosen)
  const [campaign, setCampaign] = useState<CampaignChoice | null>(null)
  const [file, setFile] = useState<ChosenFile | null>(null)
  const kind = importKinds[id]
  const start = useMutation<Schemas['StartedAsyncAction'], ApiFailure, File>({
    mutationFn: (content) => {
      const { name, input } = requestFor({ id, campaign: campaign?.id ?? '', content })
      return call(name, input, { project })
    },
    onSuccess: ({ async_action_id: action }) => {
      void client.invalidateQueries({ queryKey: [project] })
      return navigate({ to: '/$project/data/$action', params: { project, action } })
    },
  })
  const header = file?.csv.header ?? []
  const isReady =
    file !== null &&
    header.length > 0 &&
    missingColumns(kind, header).length === 0 &&
    repeatedColumns(header).length === 0 &&
    (id !== 'campaign' || campaign !== null)
  return (
    <div className="space-y-4">
      <FailureNotice failure={start.error} />
      <div className="grid items-start gap-4 sm:grid-cols-2">
        <SelectField
          label="What the rows are"
          hint={kind.isOverwriting ? kind.about : `${kind.about} ${kind.existing}`}
          options={options}
          value={id}
          onChange={(event) => setId(event.target.value as ImportId)}
        />
        {id === 'campaign' && (
          <ChooseCampaign
            label="Campaign"
            placeholder="The beginning of its name"
            value={campaign}
            onChange={setCampaign}
          />
        )}
      </div>
      {kind.isOverwriting && <Notice tone="warn" title={kind.existing} />}
      <ChooseFile
        file={file}
        onChange={(next) => {
          start.reset()
          setFile(next)
        }}
        example={
          <Button
            size="small"
            look="quiet"
            className="-mr-2"
            onClick={() => saveFile(kind.example, `example-${id}.csv`)}
          >
            Download an example
          </Button>
        }
      />
      {file && <ImportPreview kind={kind} csv={file.csv} />}
      <DialogActions>
        {file && <CopyCall {...requestFor({ id, campaign: campaign?.id ?? '', content: file.content })} look="quiet" />}
        <Button onClick={onClose}>Cancel</Button>
        <Button
          look="primary"
          disabled={!isReady}
          isBusy={start.isPending}
          onClick={() => file && start.mutate(file.content)}
        >
          Start the import
        </Button>
      </DialogActions>
    </div>
  )
}

type Sending = { id: ImportId; campaign: string; content: File }
type FileOperation =
  | 'POST /v1/vouchers/importCSV'
  | 'POST /v1/campaigns/{campaignId}/importCSV'
  | 'POST /v1/customers/importCSV'
  | 'POST /v1/products/importCSV'
  | 'POST /v1/skus/importCSV'

function requestFor({ id, campaign, content }: Sending): { name: FileOperation; input: Input<FileOperation> } {
  const body = new FormData()
  body.append('file', content)
  return { name: operations[id], input: { path: { campaignId: campaign }, body } }
}

const operations: Record<ImportId, FileOperation> = {
  codes: 'POST /v1/vouchers/importCSV',
  campaign: 'POST /v1/campaigns/{campaignId}/importCSV',
  customers: 'POST /v1/customers/importCSV',
  products: 'POST /v1/products/importCSV',
  skus: 'POST /v1/skus/importCSV',
}
