import { sql } from 'kysely'
import { Category, CategoryBody } from '../categories/schema.ts'
import { insertCategory } from '../categories/store.ts'
import { operation } from '../http/operation.ts'

/** Creates a category and then, inside its transaction, takes so long that its process can be killed meanwhile. */
export const crashProbe = (seconds: number) =>
  operation({
    id: 'crashProbe',
    method: 'POST',
    path: '/v1/crash-probe',
    summary: 'Create a category, slowly',
    body: CategoryBody,
    reply: Category,
    errors: [],
    run: async (ctx, { body }) => {
      const category = await insertCategory(ctx, body)
      await sql`select pg_sleep(${seconds}) /* crash probe */`.execute(ctx.db)
      return category
    },
  })
