import type { ReactNode } from 'react'
import { roleNames } from '../../app/project-switcher.tsx'
import { useProject } from '../../app/session.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty } from '../../ui/state.tsx'

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
