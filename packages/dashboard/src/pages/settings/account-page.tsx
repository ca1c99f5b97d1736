import { useSession } from '../../api/session.ts'
import { Facts, Page, Panel } from '../../ui/page.tsx'
import { roleNames } from '../../words/roles.ts'
import { PasswordPanel } from './password-panel.tsx'
import { SecondFactorPanel } from './second-factor-panel.tsx'
import { SessionsPanel } from './sessions-panel.tsx'
import { ThemePanel } from './theme-panel.tsx'

export function AccountPage() {
  const { user, projects } = useSession()
  const name = [user.first_name, user.last_name].filter(Boolean).join(' ')
  return (
    <Page title="My account" about="How you sign in, and where you are signed in.">
      <div className="grid items-start gap-5 lg:grid-cols-[minmax(0,1fr)_20rem]">
        <div className="space-y-5">
          <PasswordPanel />
          <SecondFactorPanel />
          <SessionsPanel />
        </div>
        <div className="space-y-5 max-lg:order-first">
          <Panel title="You">
            <Facts
              facts={[
                ['Name', name || undefined],
                ['E-mail', user.email],
                ['Owner', user.is_owner ? 'Yes, of every project' : undefined],
              ]}
            />
          </Panel>
          {!user.is_owner && (
            <Panel title="Your projects">
              <Facts facts={projects.map(({ name: project, role }) => [project, roleNames[role] ?? role])} />
            </Panel>
          )}
          <ThemePanel />
        </div>
      </div>
    </Page>
  )
}
