// The baseline: Fastify, one primary-key SELECT, serialisation by schema, and nothing else.
import { fastify } from 'fastify'
import pg from 'pg'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL as string, max: 8 })
const app = fastify()
const Category = {
  type: 'object',
  properties: {
    id: { type: 'string' },
    name: { type: 'string' },
    hierarchy: { type: 'integer' },
    created_at: { type: 'string' },
    object: { type: 'string' },
  },
}
app.get<{ Params: { project: string; id: string } }>(
  '/bare/:project/categories/:id',
  { schema: { response: { 200: Category } } },
  async ({ params }) => {
    const { rows } = await pool.query('select * from "categories" where "project_id" = $1 and "id" = $2', [
      params.project,
      params.id,
    ])
    return { ...rows[0], created_at: rows[0].created_at.toISOString(), object: 'category' }
  },
)
await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
console.log('ready')
