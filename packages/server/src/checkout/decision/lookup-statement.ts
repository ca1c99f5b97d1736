import type { Selectable } from 'kysely'
import type { StoredCustomer } from '../../audience/customers/customer.ts'
import { toProduct } from '../../catalogue/products/store.ts'
import { toSku } from '../../catalogue/skus/store.ts'
import type { Db } from '../../core/db/database.ts'
import { allFromJson, readMoment } from '../../core/db/json-row.ts'
import { preparedStatement } from '../../core/db/prepared-statements.ts'
import type { ProductRow, SkuRow, VoucherRow } from '../../core/db/tables.ts'
import type { Instant } from '../../core/lib/instant.ts'
import type { Rows, Versioned } from './checkout-rows.ts'
import type { LookupKeys } from './lookup-batcher.ts'
import {
  customerColumns,
  heldColumns,
  plainVoucherColumns,
  productColumns,
  skuColumns,
  voucherColumns,
} from './lookup-columns.ts'
import type { FoundVoucher } from './voucher-row.ts'

/*
 * The rows of requests that need nothing but rows by key, in one prepared statement: what `checkout_facts` returns without
 * `special`, in two thirds of its time (docs/decisions/0056-lookups-in-one-statement.md). A statement contains only the parts whose keys
 * are sent, because PostgreSQL prepares every part of a plan for each execution, used or not.
 */

/** Values of a row in the order of its columns: shorter to write and to parse than an object that repeats their names. */
type Values = readonly unknown[]

const listOf = (alias: string, columns: object): string =>
  Object.keys(columns)
    .map((name) => `${alias}.${name}`)
    .join(', ')

/** A row of a table from the values that follow the first `skipped` ones, and from those that all rows have. */
function rowReader<Row>(
  columns: object,
  skipped: number,
  constants: object = {},
): (values: Values, projectId: string) => Row {
  const names = Object.keys(columns)
  const moments = names.flatMap((name, place) => (momentColumns.has(name) ? [place] : []))
  const empty: Record<string, unknown> = {
    project_id: '',
    ...Object.fromEntries(names.map((name) => [name, null])),
    ...constants,
    deleted_at: null,
  }
  return (values, projectId) => {
    const row = { ...empty }
    row.project_id = projectId
    for (let place = 0; place < names.length; place += 1) row[names[place] as string] = values[skipped + place]
    for (const place of moments) {
      const value = values[skipped + place]
      if (value !== null) row[names[place] as string] = readMoment(value as string)
    }
    return row as Row
  }
}

const momentColumns = new Set(['start_date', 'expiration_date', 'last_order_date', 'created_at', 'updated_at'])

/** The values of a plain voucher before its columns. */
type PlainExtras = [isPlain: boolean, xmin: string, assignments: object[] | null, held: Held | null]

type Held = { [Name in keyof FoundVoucher['held']]: FoundVoucher['held'][Name] | null }

/** The values of any voucher before its columns. */
type VoucherExtras = [
  ...PlainExtras,
  card: [FoundVoucher['lots'] | null, string | null, FoundVoucher['member']] | null,
  holders: string[] | null,
  people: Values[] | null,
]

const readPlainVoucher = rowReader<Selectable<VoucherRow>>(plainVoucherColumns, 4, heldColumns)
const readVoucher = rowReader<Selectable<VoucherRow>>(voucherColumns, 7)
const readCustomer = rowReader<StoredCustomer>(customerColumns, 1)
const readProduct = rowReader<Selectable<ProductRow>>(productColumns, 0)
const readSku = rowReader<Selectable<SkuRow>>(skuColumns, 1)

const customerValues = `json_build_array(c.xmin::text, ${listOf('c', customerColumns)})`
const productValues = `json_build_array(${listOf('g', productColumns)})`

/**
 * The keys as a subquery: the planner then assumes the same number of keys in every plan, so it finds the generic plan, which it
 * makes once, as good as one for these keys. With the parameter itself it would plan every execution anew, which takes longer than
 * running it.
 */
const anyOf = (parameter: string): string => `any((select ${parameter}::text[])::text[])`

/** The parameters of a statement, as its text names them. */
interface Parameters {
  code_keys: string
  customer_sources: string
  customer_ids: string
  product_sources: string
  product_ids: string
  sku_sources: string
  sku_ids: string
  /** Only with codes. */
  now: string
}

interface StatementKeys extends Partial<Parameters> {
  hasManyCodes: boolean
  /** With what only cards and codes with holders have; otherwise the statement says which vouchers are such. */
  isComplete: boolean
}

/**
 * Arrays of the ids of customers that the request may be about: named in it, or by one of its vouchers. A voucher says which of them
 * hold it.
 */
const askedCustomers = ({ customer_sources, customer_ids, code_keys, hasManyCodes }: StatementKeys): string[] => [
  hasManyCodes
    ? `array(select unnest(array[v.holder_id, v.referrer_id]) from vouchers v
            where v.project_id = $1 and v.code_key = ${anyOf(code_keys as string)} and v.deleted_at is null)`
    : 'array[v.holder_id, v.referrer_id]',
  ...(customer_ids === undefined ? [] : [`${customer_ids}::text[]`]),
  ...(customer_sources === undefined
    ? []
    : [
        `array(select c.id from customers c where c.project_id = $1 and c.source_id = ${anyOf(customer_sources)}
            and c.deleted_at is null)`,
      ]),
]

const isPlain = `v.type = 'DISCOUNT_VOUCHER' and v.publish_count = 0 and not v.is_referral_code
        and v.holder_id is null and v.referrer_id is null`

const heldPart = ({ now }: StatementKeys): string => `(
        select json_build_object('quantity', sum(h.quantity) filter (where h.expires_at > ${now}),
          'credits', sum(h.credits) filter (where h.expires_at > ${now}),
          'ended_at', max(h.expires_at) filter (where h.expires_at <= ${now}))
        from holds h where h.project_id = $1 and h.resource_id = v.id)`

const heldByCustomers = (keys: StatementKeys): string => `
      case when v.type <> 'DISCOUNT_VOUCHER' then json_build_array(
        (select json_agg(json_build_object('id', l.id, 'points', l.points, 'expires_at', l.expires_at) order by l.id)
          from lots l where l.project_id = $1 and l.voucher_id = v.id and l.expired_points is null),
        (select max(t.id) from voucher_transactions t where t.project_id = $1 and t.voucher_id = v.id),
        (select json_build_object('tier_id', m.tier_id, 'due_on', m.due_on) from loyalty_members m
          where m.project_id = $1 and m.voucher_id = v.id)) end,
      case when v.publish_count > 0 or v.is_referral_code or v.holder_id is not null then (
        select json_agg(h.customer_id) from holders h where h.project_id = $1 and h.voucher_id = v.id
          and h.customer_id = any(${askedCustomers(keys).join(' || ')})) end,
      case when v.holder_id is not null or v.referrer_id is not null then (
        select json_agg(${customerValues}) from customers c
        where c.project_id = $1 and c.id = any(array[v.holder_id, v.referrer_id]) and c.deleted_at is null) end,`

const vouchersPart = (keys: StatementKeys): string => `(
    select json_agg(json_build_array(${isPlain}, v.xmin::text,
      (select json_agg(a) from rule_assignments a
        where a.project_id = $1 and a.related_object_id = v.id and a.related_object_type = 'voucher'),
      case when v.quantity is not null or v.type <> 'DISCOUNT_VOUCHER' then ${heldPart(keys)} end,
      ${keys.isComplete ? heldByCustomers(keys) : ''}
      ${listOf('v', keys.isComplete ? voucherColumns : plainVoucherColumns)}))
    from vouchers v where v.project_id = $1 and v.code_key = ${anyOf(keys.code_keys as string)} and v.deleted_at is null)`

const customersPart = (column: string, parameter: string): string =>
  `(select json_agg(${customerValues}) from customers c
    where c.project_id = $1 and c.${column} = ${anyOf(parameter)} and c.deleted_at is null)`

const productsPart = (column: string, parameter: string): string =>
  `(select json_agg(${productValues}) from products g
    where g.project_id = $1 and g.${column} = ${anyOf(parameter)} and g.deleted_at is null)`

/** Each with its product: a line of the SKU counts as one of the product too. */
const skusPart = (column: string, parameter: string): string =>
  `(select json_agg(json_build_array((select ${productValues} from products g
      where g.project_id = $1 and g.id = s.product_id and g.deleted_at is null), ${listOf('s', skuColumns)}))
    from skus s where s.project_id = $1 and s.${column} = ${anyOf(parameter)} and s.deleted_at is null)`

/** In the order of the parameters. */
const parts: { [Kind in keyof LookupKeys]: (parameter: string, keys: StatementKeys) => string } = {
  code_keys: (_, keys) => vouchersPart(keys),
  customer_sources: (parameter) => customersPart('source_id', parameter),
  customer_ids: (parameter) => customersPart('id', parameter),
  product_sources: (parameter) => productsPart('source_id', parameter),
  product_ids: (parameter) => productsPart('id', parameter),
  sku_sources: (parameter) => skusPart('source_id', parameter),
  sku_ids: (parameter) => skusPart('id', parameter),
}
const kinds = Object.keys(parts) as Array<keyof LookupKeys>

type LookupResult = { [Kind in keyof LookupKeys]?: Values[] | null } & { config_version: number }

/** By bits: complete or not, one code or several, and each kind of keys. */
const statements: Array<ReturnType<typeof preparedStatement<LookupResult>> | undefined> = []

/** The statement for these kinds of keys. */
function newStatement(keysSent: LookupKeys, isComplete: boolean): ReturnType<typeof preparedStatement<LookupResult>> {
  const sent = kinds.filter((kind) => keysSent[kind].length > 0)
  const keys: StatementKeys = {
    ...Object.fromEntries(sent.map((kind, index) => [kind, `$${index + 2}`])),
    hasManyCodes: keysSent.code_keys.length > 1,
    isComplete,
  }
  if (keys.code_keys !== undefined) keys.now = `$${sent.length + 2}::timestamptz`
  const columns = sent.map((kind) => `${parts[kind](keys[kind] as string, keys)} as ${kind}`)
  return preparedStatement<LookupResult>(
    `select ${['(select p.config_version from projects p where p.id = $1) as config_version', ...columns].join(',\n  ')}`,
  )
}

/**
 * Lookups that the statement for all vouchers still serves, by project. The one for plain vouchers takes a sixth less time, but has
 * to be followed by the other one if it finds a card or a code with a holder: then the next lookups of the project start with that.
 */
const completeLookups = new Map<string, number>()
const completeLookupsMax = 1_000
const projectsMax = 1_000

/** The rows with these keys, and the rows that those refer to, of one snapshot. */
export async function lookUpRows(db: Db, projectId: string, now: Instant, keys: LookupKeys): Promise<Rows> {
  const left = keys.code_keys.length === 0 ? 0 : (completeLookups.get(projectId) ?? 0)
  if (left > 0) completeLookups.set(projectId, left - 1)
  else if (keys.code_keys.length > 0) completeLookups.delete(projectId)
  let isComplete = left > 0
  let result = await runStatement(db, projectId, now, keys, isComplete)
  if (result.code_keys?.some((values) => values[0] !== true) === true) {
    if (completeLookups.size >= projectsMax) completeLookups.clear()
    completeLookups.set(projectId, completeLookupsMax)
    if (!isComplete) {
      isComplete = true
      result = await runStatement(db, projectId, now, keys, isComplete)
    }
  }
  return toRows(result, projectId, isComplete)
}

async function runStatement(
  db: Db,
  projectId: string,
  now: Instant,
  keys: LookupKeys,
  isComplete: boolean,
): Promise<LookupResult> {
  const values: unknown[] = [projectId]
  let bits = (isComplete ? 2 : 0) | (keys.code_keys.length > 1 ? 1 : 0)
  for (let place = 0; place < kinds.length; place += 1) {
    const sent = keys[kinds[place] as keyof LookupKeys]
    if (sent.length === 0) continue
    values.push(sent)
    bits |= 4 << place
  }
  if (keys.code_keys.length > 0) values.push(now)
  let statement = statements[bits]
  if (statement === undefined) {
    statement = newStatement(keys, isComplete)
    statements[bits] = statement
  }
  const [result] = await statement(db, values)
  return result as LookupResult
}

function toRows(result: LookupResult, projectId: string, isComplete: boolean): Rows {
  const customers = new RowsById<Versioned<StoredCustomer>>()
  const products = new RowsById<Rows['goods']['products'][number]>()
  const skus = new RowsById<Rows['goods']['skus'][number]>()
  const addCustomers = (found: readonly Values[] | null | undefined) => {
    for (const values of found ?? []) {
      const row = readCustomer(values, projectId) as Versioned<StoredCustomer>
      row.xmin = values[0] as string
      customers.add(row)
    }
  }
  const addProducts = (found: readonly Values[] | null | undefined) => {
    for (const values of found ?? []) products.add(toProduct(readProduct(values, projectId)))
  }
  const addSkus = (found: readonly Values[] | null | undefined) => {
    for (const values of found ?? []) {
      skus.add(toSku(readSku(values, projectId)))
      if (values[0] !== null) addProducts([values[0] as Values])
    }
  }
  addCustomers(result.customer_sources)
  addCustomers(result.customer_ids)
  addProducts(result.product_sources)
  addProducts(result.product_ids)
  addSkus(result.sku_sources)
  addSkus(result.sku_ids)
  const vouchers: FoundVoucher[] = []
  for (const values of result.code_keys ?? []) {
    if (isComplete) {
      vouchers.push(toVoucher(values, projectId))
      addCustomers((values as unknown as VoucherExtras)[6])
    } else vouchers.push(toPlainVoucher(values, projectId))
  }
  if (vouchers.length > 1) vouchers.sort((a, b) => (a.id < b.id ? -1 : 1))
  return {
    config_version: result.config_version,
    order: null,
    vouchers,
    customers: customers.rows,
    goods: { products: products.rows, skus: skus.rows },
    has_session: false,
    tier_usage: {},
    rewards_redeemed: {},
  }
}

function toVoucher(values: Values, projectId: string): FoundVoucher {
  const [, , , , card, holders] = values as unknown as VoucherExtras
  return withExtras(readVoucher(values, projectId), values, card, holders)
}

const toPlainVoucher = (values: Values, projectId: string): FoundVoucher =>
  withExtras(readPlainVoucher(values, projectId), values, null, null)

function withExtras(
  row: Selectable<VoucherRow>,
  values: Values,
  card: VoucherExtras[4],
  holders: VoucherExtras[5],
): FoundVoucher {
  const [, xmin, assignments, held] = values as unknown as PlainExtras
  const voucher = row as FoundVoucher
  voucher.xmin = xmin
  voucher.assignments = assignments === null ? none : inOrderOfCreation(allFromJson(assignments))
  voucher.holders = holders ?? none
  voucher.held = { quantity: held?.quantity ?? 0, credits: held?.credits ?? 0, ended_at: held?.ended_at ?? null }
  voucher.lots = card?.[0] ?? none
  voucher.last_transaction = card?.[1] ?? null
  voucher.member = card?.[2] ?? null
  return voucher
}

const none: readonly never[] = []

const inOrderOfCreation = (assignments: Array<FoundVoucher['assignments'][number]>): FoundVoucher['assignments'] =>
  assignments.sort((a, b) =>
    a.created_at === b.created_at ? (a.id < b.id ? -1 : 1) : a.created_at < b.created_at ? -1 : 1,
  )

/** Rows in the order in which they were found, each id once: two keys may find the same row. */
class RowsById<Row extends { id: string }> {
  readonly rows: Row[] = []
  readonly #ids = new Set<string>()

  add(row: Row): void {
    if (this.#ids.has(row.id)) return
    this.#ids.add(row.id)
    this.rows.push(row)
  }
}
