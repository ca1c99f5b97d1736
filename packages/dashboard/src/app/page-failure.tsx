import { type ErrorComponentProps, Link, type NotFoundRouteProps, useRouter } from '@tanstack/react-router'
import { ApiFailure } from '../api/client.ts'
import { buttonClasses } from '../ui/button.tsx'
import { Empty, FailureView } from '../ui/state.tsx'

/** What stands in place of a page that could not be shown. */
export function PageFailure({ error, reset }: ErrorComponentProps) {
  const router = useRouter()
  const failure =
    error instanceof ApiFailure
      ? error
      : new ApiFailure(0, { message: 'This page could not be shown', details: String(error) })
  const retry = () => {
    reset()
    void router.invalidate()
  }
  return <FailureView failure={failure} retry={retry} />
}

/** An address that leads nowhere: a page that does not exist, or a project in which the person has no role. */
export function NotFound({ data }: NotFoundRouteProps) {
  const isProject = data === 'project'
  return (
    <Empty
      title={isProject ? 'You cannot see this project' : 'There is no such page'}
      action={
        <Link to="/" className={buttonClasses('primary')}>
          {isProject ? 'To a project of yours' : 'To the overview'}
        </Link>
      }
    >
      {isProject
        ? 'The address belongs to a project in which you have no role, or which does not exist. Ask whoever sent it to have you invited.'
        : 'The address may be mistyped, or belong to a newer version.'}
    </Empty>
  )
}
