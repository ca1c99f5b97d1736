import { Link, useParams } from '@tanstack/react-router'
import { useRead } from '../../api/queries.ts'
import { buttonClasses } from '../../ui/button.tsx'
import { Page, Panel } from '../../ui/page.tsx'
import { Empty, FailureView, Loading } from '../../ui/state.tsx'
import { AllRedemptions } from './all-redemptions.tsx'
import { RedemptionView } from './redemption-view.tsx'

/** One redemption, refusal or rollback. */
export function RedemptionPage() {
  const { project, redemption } = useParams({ from: '/$project/redemptions/$redemption' })
  const { data, error, refetch } = useRead('GET /v1/redemptions/{redemptionId}', { path: { redemptionId: redemption } })
  if (data) return <RedemptionView key={data.id} entry={data} />
  return (
    <Page title="Redemption" above={<AllRedemptions />}>
      <Panel>
        {error === null ? (
          <Loading lines={8} />
        ) : error.status === 404 ? (
          <Empty
            title="There is no such redemption"
            action={
              <Link to="/$project/redemptions" params={{ project }} className={buttonClasses('primary')}>
                All redemptions
              </Link>
            }
          >
            It may belong to another project, or to a customer who was deleted.
          </Empty>
        ) : (
          <FailureView failure={error} retry={() => void refetch()} />
        )}
      </Panel>
    </Page>
  )
}
