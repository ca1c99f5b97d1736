import { useNavigate, useSearch } from '@tanstack/react-router'
import { useState } from 'react'
import type { Schemas } from '../../api/client.ts'
import { rowsInReply, useRead } from '../../api/queries.ts'
import { useIsAdmin, useProject } from '../../api/session.ts'
import { Button } from '../../ui/button.tsx'
import { List } from '../../ui/list.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Pager } from '../../ui/pager.tsx'
import { InviteDialog } from './invite-dialog.tsx'
import { OnlyAdmins } from './only-admins.tsx'
import { RolesPanel } from './roles-panel.tsx'
import { type UserTask, userColumns } from './user-columns.tsx'
import { NewLink, RemoveUser, RoleDialog } from './user-dialogs.tsx'

const pageSize = 50

export function UsersPage() {
  if (!useIsAdmin())
    return (
      <OnlyAdmins title="Users">
        They invite people to this project, give them roles and take them out again.
      </OnlyAdmins>
    )
  return <Users />
}

function Users() {
  const { id: projectId, name } = useProject()
  const { page: text } = useSearch({ from: '/$project/settings/users' })
  const page = Math.max(1, Number.parseInt(text ?? '1', 10) || 1)
  const navigate = useNavigate()
  const users = useRead(
    'GET /management/v1/projects/{projectId}/users',
    { path: { projectId }, query: { limit: pageSize, page } },
    { keeps: true },
  )
  const [isInviting, setIsInviting] = useState(false)
  const [chosen, setChosen] = useState<{ user: Schemas['User']; task: UserTask } | null>(null)
  const close = () => setChosen(null)
  const invite = (
    <Button look="primary" onClick={() => setIsInviting(true)}>
      Invite somebody
    </Button>
  )
  return (
    <Page title="Users" about={`The people who work with ${name}, and what each of them may do.`} actions={invite}>
      <Panel flush>
        <List
          label="Users of the project"
          columns={userColumns(projectId, (user, task) => setChosen({ user, task }))}
          list={rowsInReply(users, ({ data }) => data)}
          empty={<p className="p-4 text-muted">Nobody here.</p>}
        />
        <Pager
          page={page}
          pageSize={pageSize}
          total={users.data?.total ?? 0}
          onChange={(next) =>
            void navigate({
              to: '/$project/settings/users',
              params: { project: projectId },
              search: next > 1 ? { page: String(next) } : {},
            })
          }
        />
      </Panel>
      <RolesPanel />
      <InviteDialog isOpen={isInviting} onClose={() => setIsInviting(false)} />
      {chosen?.task === 'role' && <RoleDialog user={chosen.user} onClose={close} />}
      {chosen?.task === 'remove' && <RemoveUser user={chosen.user} onClose={close} />}
      {chosen?.task === 'link' && <NewLink user={chosen.user} onClose={close} />}
    </Page>
  )
}
