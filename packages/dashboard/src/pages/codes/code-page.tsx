import { Link, useParams } from '@tanstack/react-router'
import { useRead } from '../../api/queries.ts'
import { Page } from '../../ui/page.tsx'
import { Empty, FailureView, Loading } from '../../ui/state.tsx'
import { CodeView } from './code-view.tsx'

export function CodePage() {
  const { project, code } = useParams({ from: '/$project/codes/$code' })
  const { data, error, refetch } = useRead('GET /v1/vouchers/{code}', { path: { code } })
  if (data) return <CodeView code={data} />
  return (
    <Page
      title={code}
      heading={<span className="break-all font-mono">{code}</span>}
      above={
        <Link to="/$project/codes" params={{ project }} className="hover:underline">
          Codes
        </Link>
      }
    >
      {error?.status === 404 ? (
        <Empty title="There is no such code">
          It was never made, or has been deleted. Codes are read with their capital letters, spaces and dashes as they
          were written.
        </Empty>
      ) : error ? (
        <FailureView failure={error} retry={() => void refetch()} />
      ) : (
        <Loading lines={8} />
      )}
    </Page>
  )
}
