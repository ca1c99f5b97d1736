import { type ErrorComponentProps, Link, useRouter } from '@tanstack/react-router'
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

export function NotFound() {
  return (
    <Empty
      title="There is no such page"
      action={
        <Link to="/" className={buttonClasses('primary')}>
          To the overview
        </Link>
      }
    >
      The address may be mistyped, or belong to a newer version.
    </Empty>
  )
}
