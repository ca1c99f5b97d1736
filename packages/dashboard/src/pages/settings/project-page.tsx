import type { Schemas } from '../../api/client.ts'
import { useChange, useRead } from '../../api/queries.ts'
import { useIsAdmin, useProject } from '../../api/session.ts'
import { SelectField } from '../../ui/field.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { FailureView, Loading } from '../../ui/state.tsx'
import { OnlyAdmins } from './only-admins.tsx'

type UnknownFields = Schemas['Project']['unknown_fields']

const unknownFields: { value: UnknownFields; label: string }[] = [
  { value: 'REFUSE', label: 'Refuse the request' },
  { value: 'IGNORE', label: 'Ignore the field and warn' },
]

export function ProjectPage() {
  if (!useIsAdmin())
    return <OnlyAdmins title="Project">They decide how the API reads what a shop sends to this project.</OnlyAdmins>
  return <Project />
}

function Project() {
  const { id: projectId, name } = useProject()
  const project = useRead('GET /management/v1/projects/{projectId}', { path: { projectId } })
  const change = useChange('PUT /management/v1/projects/{projectId}')
  return (
    <Page title="Project" about={`How the API reads what a shop sends to ${name}.`}>
      <Panel>
        {project.data ? (
          <SelectField
            label="A field that the API does not know"
            hint="A misspelt field has no effect: a code with max_uses in place of redemption has no limit. Refuse it, unless a program that you cannot change sends such fields."
            error={change.error?.details ?? change.error?.message}
            className="max-w-md"
            options={unknownFields}
            value={project.data.unknown_fields}
            disabled={change.isPending}
            onChange={({ target }) =>
              change.mutate({ path: { projectId }, body: { unknown_fields: target.value as UnknownFields } })
            }
          />
        ) : project.error ? (
          <FailureView failure={project.error} retry={() => void project.refetch()} />
        ) : (
          <Loading />
        )}
      </Panel>
    </Page>
  )
}
