import type { ReactNode } from 'react'
import { useProject } from '../../api/session.ts'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/state.tsx'
import { roleNames } from '../../words/roles.ts'

/** What somebody sees who may not do this: what it is, and who may. */
export function OnlyAdmins({ title, children }: { title: string; children: ReactNode }) {
  const { name, role } = useProject()
  return (
    <Page title={title}>
      <Panel>
        <Empty title="Administrators do this">
          <p>{children}</p>
          <p className="mt-2">
            You are {roleNames[role] ?? role} in {name}. Ask an administrator of the project, or an owner of this
            installation.
          </p>
        </Empty>
      </Panel>
    </Page>
  )
}
