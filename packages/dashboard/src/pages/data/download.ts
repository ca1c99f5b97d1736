import { type UseMutationResult, useMutation } from '@tanstack/react-query'
import { type ApiFailure, call, type Schemas } from '../../api/client.ts'
import { useProjectId } from '../../api/session.ts'
import { saveFile } from '../../ui/save-file.ts'
import { exportName } from './export-kinds.ts'

type Export = Schemas['Export']

/** Fetches the file of an export and hands it to the browser. Its address holds a token of a day, so it is asked for anew. */
export function useDownloadExport(): UseMutationResult<void, ApiFailure, Export> {
  const project = useProjectId()
  return useMutation<void, ApiFailure, Export>({
    mutationFn: async ({ id }) => {
      const path = { exportId: id }
      const record = await call('GET /v1/exports/{exportId}', { path }, { project })
      const token = new URL(record.result?.url ?? '', window.location.origin).searchParams.get('token') ?? ''
      // With a token the operation answers the file in place of the record.
      const file = (await call(
        'GET /v1/exports/{exportId}',
        { path, query: { token } },
        { project },
      )) as unknown as Blob
      saveFile(file, fileName(record))
    },
  })
}

const fileName = ({ exported_object: kind, created_at: at }: Export) =>
  `${exportName(kind).toLowerCase().replaceAll(' ', '-')}-${at.slice(0, 10)}.csv`

/** Fetches a report of a bulk change, by its address, and hands it to the browser. */
export function useDownloadReport(): UseMutationResult<void, ApiFailure, string> {
  const project = useProjectId()
  return useMutation<void, ApiFailure, string>({
    mutationFn: async (address) => {
      const token = new URL(address, window.location.origin).pathname.split('/').at(-1) ?? ''
      saveFile(await call('GET /v1/task-results/{token}', { path: { token } }, { project }), 'report.csv')
    },
  })
}
