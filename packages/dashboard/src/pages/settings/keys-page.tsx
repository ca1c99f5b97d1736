import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { rowsInReply, useRead } from '../../api/queries.ts'
import { useIsAdmin, useProject } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { List } from '../../ui/list.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/state.tsx'
import { type KeyTask, keyColumns } from './key-columns.tsx'
import { BlockKey, DeleteKey, RegenerateKey } from './key-dialogs.tsx'
import { EditKey, NewKey } from './key-form.tsx'
import { KeySecret } from './key-secret.tsx'
import type { Key } from './key-words.ts'
import { OnlyAdmins } from './only-admins.tsx'

export function KeysPage() {
  if (!useIsAdmin())
    return (
      <OnlyAdmins title="Keys">
        They make the keys by which a shop calls the API, and end them. A key may do what its role allows, so keys are
        not shown to others.
      </OnlyAdmins>
    )
  return <Keys />
}

function Keys() {
  const { id: projectId, name } = useProject()
  const keys = useRead('GET /management/v1/projects/{projectId}/api-keys', { path: { projectId } })
  const [isMaking, setIsMaking] = useState(false)
  const [chosen, setChosen] = useState<{ key: Key; task: KeyTask } | null>(null)
  const [fresh, setFresh] = useState<Schemas['ApiKeyWithSecret'] | null>(null)
  const close = () => setChosen(null)
  const show = (key: Schemas['ApiKeyWithSecret']) => {
    setIsMaking(false)
    close()
    setFresh(key)
  }
  const make = (
    <Button look="primary" onClick={() => setIsMaking(true)}>
      Make a key
    </Button>
  )
  return (
    <Page
      title="Keys"
      about={`By a key, a program calls the API for ${name}. A secret is shown once, when it is made.`}
      actions={make}
    >
      <Panel flush>
        <List
          label="Keys of the project"
          columns={keyColumns((key, task) => setChosen({ key, task }))}
          list={rowsInReply(keys, ({ data }) => data)}
          empty={
            <Empty title="No key yet" action={make}>
              Your shop needs one to create, check and redeem codes by the API.
            </Empty>
          }
        />
      </Panel>
      <NewKey isOpen={isMaking} onClose={() => setIsMaking(false)} onMade={show} />
      {chosen?.task === 'edit' && <EditKey apiKey={chosen.key} onClose={close} />}
      {chosen?.task === 'block' && <BlockKey apiKey={chosen.key} onClose={close} />}
      {chosen?.task === 'regenerate' && <RegenerateKey apiKey={chosen.key} onClose={close} onMade={show} />}
      {chosen?.task === 'delete' && <DeleteKey apiKey={chosen.key} onClose={close} />}
      {fresh && <KeySecret apiKey={fresh} onClose={() => setFresh(null)} />}
    </Page>
  )
}
