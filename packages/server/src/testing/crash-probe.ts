import { sql } from 'kysely'
import { operation } from '../core/http/operation.ts'
import { Category, CategoryBody } from '../rules/categories/schema.ts'
import { insertCategory } from '../rules/categories/store.ts'

/** Creates a category and then sleeps inside its transaction, so that the process can be killed meanwhile. */
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
