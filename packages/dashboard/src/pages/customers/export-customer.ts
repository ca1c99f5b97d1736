import { ApiFailure, type Input, type OperationName, type Reply, type Schemas } from '../../api/client.ts'
import { sentenceOf } from '../../api/failures.ts'
import { useReader } from '../../api/queries.ts'
import { useToast } from '../../ui/toast.tsx'
import { nameOf } from '../../words/people.ts'

/** Rows that one list of an export has at most: somebody with more is served by an export of the project. */
const mostRows = 10_000
const pageSize = 100

/** Saves what the API knows about a customer as one JSON file: what a person may ask for. */
export function useExport(customer: Schemas['Customer']): () => Promise<void> {
  const read = useReader()
  const say = useToast()
  const all = async <Name extends OperationName, Row extends { id: string }>(
    name: Name,
    input: Input<Name>,
    rowsOf: (reply: Reply<Name>) => Row[],
  ): Promise<Row[]> => {
    const rows: Row[] = []
    for (;;) {
      const after = rows.at(-1)?.id
      const page = { limit: pageSize, ...(after !== undefined && { starting_after_id: after }) }
      const query = { ...(input as { query?: object }).query, ...page }
      const found = rowsOf(await read(name, { ...input, query } as Input<Name>))
      rows.push(...found)
      if (found.length < pageSize || rows.length >= mostRows) return rows
    }
  }
  return async () => {
    const path = { customerId: customer.id }
    const ofCustomer = { filters: { customer_id: { conditions: { $is: [customer.id] } } } }
    say('Collecting the data …')
    try {
      const known = {
        exported_at: new Date().toISOString(),
        customer: await read('GET /v1/customers/{customerId}', { path }),
        segments: (await read('GET /v1/customers/{customerId}/segments', { path })).data,
        consents: (await read('GET /v1/customers/{customerId}/consents', { path, query: { include_deleted: true } }))
          .data,
        redeemables: await all('GET /v1/customers/{customerId}/redeemables', { path }, ({ data }) => data),
        orders: await all('GET /v1/orders', { query: ofCustomer }, ({ orders }) => orders),
        redemptions: await all(
          'GET /v1/redemptions',
          { query: { customer: customer.id } },
          (reply) => reply.redemptions,
        ),
        publications: await all(
          'GET /v1/publications',
          { query: { customer: customer.id } },
          (reply) => reply.publications,
        ),
        activity: await all('GET /v1/customers/{customerId}/activity', { path }, ({ data }) => data),
      }
      saveFile(`customer-${customer.source_id ?? customer.id}.json`, JSON.stringify(known, null, 2))
      say(`The data of ${nameOf(customer)} was saved`)
    } catch (error) {
      say('The data could not be collected', error instanceof ApiFailure ? sentenceOf(error) : undefined)
    }
  }
}

function saveFile(name: string, text: string): void {
  const address = URL.createObjectURL(new Blob([text], { type: 'application/json' }))
  const link = document.createElement('a')
  link.href = address
  link.download = name
  link.click()
  URL.revokeObjectURL(address)
}
