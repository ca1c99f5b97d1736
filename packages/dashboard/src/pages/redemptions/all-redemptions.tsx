import { Link } from '@tanstack/react-router'
import { useProject } from '../../api/session.ts'

/** The way back to the list, above the title of a redemption. */
export function AllRedemptions() {
  const { id: project } = useProject()
  return (
    <Link to="/$project/redemptions" params={{ project }} className="hover:text-ink hover:underline">
      Redemptions
    </Link>
  )
}
