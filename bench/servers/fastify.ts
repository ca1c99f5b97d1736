// The other baselines: Fastify alone, Fastify with one SELECT by primary key, and Fastify with a redemption written by hand:
// one statement that counts the use of a code, adds to the customer's sums, and stores order, redemption and event.
import { randomUUID } from 'node:crypto'
import { fastify } from 'fastify'
import pg from 'pg'
import { type Cart, Sample, sample } from './sample.ts'

const pool = new pg.Pool({ connectionString: process.env.DATABASE_URL as string, max: 8 })
const app = fastify()
const answer = { schema: { response: { 200: Sample } } }

app.get('/plain', answer, async () => sample)

app.get<{ Params: { code: string } }>('/codes/:code', answer, async ({ params }) => {
  const { rows } = await pool.query({
    name: 'code',
    text: 'select * from codes where code = $1',
    values: [params.code],
  })
  const { code, discount, redeemed } = rows[0]
  return { ...sample, redeemables: [{ ...sample.redeemables[0], id: code, result: { discount }, redeemed }] }
})

const redeem = `
with used as (
  update codes set redeemed = redeemed + 1 where code = $1 and redeemed < quantity returning code, discount, redeemed
), buyer as (
  update customers set orders = orders + 1, amount = amount + $4, redemptions = redemptions + 1
  where id = $2 and exists (select from used) returning id
), placed as (
  insert into orders (id, customer_id, amount, discount, items, created_at)
  select $3, buyer.id, $4, $4 / 10, $5, now() from used, buyer returning id
), redeemed as (
  insert into redemptions (id, code, order_id, customer_id, amount, created_at)
  select $6, used.code, placed.id, $2, $4 / 10, now() from used, placed returning id
), told as (
  insert into events (id, type, entity_id, data, created_at)
  select $7, 'redemption.succeeded', redeemed.id, jsonb_build_object('code', $1::text, 'order', $5::jsonb), now() from redeemed
)
select used.code, used.discount, used.redeemed from used, redeemed`

app.post<{ Body: Cart }>('/redemptions', answer, async ({ body }) => {
  const amount = body.order.items.reduce((sum, { price, quantity }) => sum + price * quantity, 0)
  const values = [
    body.redeemables[0]?.id,
    body.customer.source_id,
    randomUUID(),
    amount,
    JSON.stringify(body.order.items),
    randomUUID(),
    randomUUID(),
  ]
  const { rows } = await pool.query({ name: 'redeem', text: redeem, values })
  if (rows.length === 0) throw new Error('used up')
  const { code, discount, redeemed } = rows[0]
  return { ...sample, redeemables: [{ ...sample.redeemables[0], id: code, result: { discount }, redeemed }] }
})

await app.listen({ port: Number(process.env.PORT), host: '127.0.0.1' })
console.log('ready')
