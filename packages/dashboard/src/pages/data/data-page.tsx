import { useNavigate, useSearch } from '@tanstack/react-router'
import { Download, Upload } from 'lucide-react'
import { useMayChange, useProject } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { Page } from '../../ui/page.tsx'
import { Tabs } from '../../ui/tabs.tsx'
import { ActionsList } from './actions-list.tsx'
import { ExportDialog } from './export-dialog.tsx'
import { ExportsList } from './exports-list.tsx'
import { ImportDialog } from './import-dialog.tsx'

/** What comes in as a file or goes out as one, and all other work that takes longer than a call. */
export function DataPage() {
  const { id: project } = useProject()
  const { tab, new: task, kind } = useSearch({ from: '/$project/data' })
  const navigate = useNavigate()
  const mayChange = useMayChange()
  const to = '/$project/data'
  const go = (search: { tab?: string; new?: string; kind?: string }) =>
    void navigate({ to, params: { project }, search })
  const close = () => go(tab === undefined ? {} : { tab })
  const open = (name: 'import' | 'export') => () => go({ ...(tab !== undefined && { tab }), new: name })
  const importIcon = <Upload aria-hidden="true" className="size-4" />
  const exportIcon = <Download aria-hidden="true" className="size-4" />
  return (
    <Page
      title="Data in and out"
      about="Files you bring in or take out, and all work that goes on in the background."
      actions={
        <>
          <Button look={mayChange ? 'plain' : 'primary'} icon={exportIcon} onClick={open('export')}>
            Make an export
          </Button>
          {mayChange && (
            <Button look="primary" icon={importIcon} onClick={open('import')}>
              Import a file
            </Button>
          )}
        </>
      }
    >
      <Tabs
        value={tab === 'exports' ? 'exports' : 'work'}
        onChange={(next) => go(next === 'exports' ? { tab: next } : {})}
        tabs={[
          { value: 'work', label: 'Imports and background work', content: <ActionsList onImport={open('import')} /> },
          { value: 'exports', label: 'Exports', content: <ExportsList onExport={open('export')} /> },
        ]}
      />
      <ExportDialog isOpen={task === 'export'} chosen={kind} onClose={close} onMade={() => go({ tab: 'exports' })} />
      {mayChange && <ImportDialog isOpen={task === 'import'} chosen={kind} onClose={close} />}
    </Page>
  )
}
