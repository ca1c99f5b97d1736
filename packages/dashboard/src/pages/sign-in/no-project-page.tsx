import { Card } from './card.tsx'

/** Somebody who is signed in and has a role nowhere. */
export function NoProjectPage() {
  return (
    <Card title="No project yet" about="You are signed in, but have no role in any project.">
      <p className="text-muted">Ask an administrator to add you to one, then load this page again.</p>
    </Card>
  )
}
