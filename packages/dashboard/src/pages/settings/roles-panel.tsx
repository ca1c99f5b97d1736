import { roleNames } from '../../words/roles.ts'
import { roleIds, roleWords } from './roles.tsx'

/** What the roles mean, below the list that names them. */
export function RolesPanel() {
  return (
    <section className="mt-8 max-w-3xl">
      <h2 className="mb-2 font-semibold">What the roles mean</h2>
      <dl className="divide-y divide-line border-line border-y">
        {roleIds.map((role) => (
          <div key={role} className="grid gap-x-6 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
            <dt className="font-medium">{roleNames[role]}</dt>
            <dd className="text-muted">{roleWords[role]}</dd>
          </div>
        ))}
        <div className="grid gap-x-6 py-2 sm:grid-cols-[10rem_minmax(0,1fr)]">
          <dt className="font-medium">Owner</dt>
          <dd className="text-muted">
            Administrator of every project, also of those made later. Owners are made where the service runs:{' '}
            <code className="font-mono text-xs">guerdon users invite &lt;e-mail&gt; --owner</code>
          </dd>
        </div>
      </dl>
    </section>
  )
}
