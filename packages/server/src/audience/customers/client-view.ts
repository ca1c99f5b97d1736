import type { TSchema } from 'typebox'
import type { Ctx } from '../../core/context.ts'
import type { Schema } from '../../core/http/json-schema.ts'
import { ClientCustomer } from './schema.ts'

/**
 * What no page of a shop is told: who holds a code or referred somebody, why rules were met, and the figures of a promotion
 * (docs/reference/client-side.md#answers).
 */
const hidden: ReadonlySet<string> = new Set([
  'holder',
  'holder_id',
  'referrer',
  'referrer_id',
  'explanation',
  'summary',
])

/** Their metadata are notes of the shop about what it gives away. */
const withoutMetadata: ReadonlySet<unknown> = new Set(['campaign', 'promotion_tier', 'promotion_stack'])

/** The fields of the short customer. */
const customerFields = ['id', 'source_id', 'object'] as const

/**
 * A response of the server side as a page may see it: short customers, none of the hidden properties, no metadata of campaigns and
 * promotions. A tracking id is repeated as it was sent, also where the source id behind it would be.
 */
export function clientView(ctx: Pick<Ctx, 'identity'>, reply: unknown): unknown {
  const token = ctx.identity?.tracking_id ?? null
  return shown(reply)

  function shown(value: unknown): unknown {
    if (typeof value !== 'object' || value === null) return value
    if (Array.isArray(value)) return value.map(shown)
    const view: Record<string, unknown> = {}
    const isSkipped = (value as { status?: unknown }).status === 'SKIPPED'
    for (const [name, part] of Object.entries(value)) {
      // What a skipped code has would tell that it exists.
      if (hidden.has(name) || (isSkipped && (name === 'metadata' || name === 'categories'))) continue
      if (name === 'metadata') view[name] = withoutMetadata.has((value as { object?: unknown }).object) ? {} : part
      else if (name === 'customer') view[name] = shortCustomer(part)
      else if (name === 'tracking_id') view[name] = token ?? part
      else view[name] = shown(part)
    }
    return view
  }

  function shortCustomer(customer: unknown): unknown {
    if (typeof customer !== 'object' || customer === null) return customer
    const short = Object.fromEntries(
      customerFields.flatMap((name) => (name in customer ? [[name, customer[name as keyof typeof customer]]] : [])),
    )
    return token === null || short.source_id == null ? short : { ...short, source_id: token }
  }
}

/** The view of the response to `POST /client/v1/customers`, which is a customer itself. */
export const clientCustomerView = (ctx: Pick<Ctx, 'identity'>, customer: unknown): unknown =>
  (clientView(ctx, { customer }) as { customer: unknown }).customer

/** The schema of a response to the client side, for the schema of the same response on the server side. */
export function clientReply<T extends TSchema>(schema: T): T {
  return reduced(schema as Schema) as T
}

/** Returns the same object where nothing has to change: the OpenAPI document then refers to it by its name. */
function reduced(schema: Schema): Schema {
  const changes: Schema = {}
  const { anyOf, properties, required, items } = schema
  if (anyOf !== undefined && reducedVariants(anyOf) !== anyOf) changes.anyOf = reducedVariants(anyOf)
  if (items !== undefined && reduced(items) !== items) changes.items = reduced(items)
  if (properties !== undefined && reducedProperties(properties) !== properties) {
    changes.properties = reducedProperties(properties)
    if (required !== undefined) changes.required = required.filter((name) => !hidden.has(name))
  }
  if (Object.keys(changes).length === 0) return schema
  // Keeps what is not enumerable: TypeBox marks kinds and optional properties that way.
  const copy = Object.create(Object.getPrototypeOf(schema), Object.getOwnPropertyDescriptors(schema)) as Schema
  return Object.assign(copy, changes)
}

const reducedVariants = once((anyOf: Schema[]): Schema[] => {
  const variants = anyOf.map(reduced)
  return variants.some((variant, index) => variant !== anyOf[index]) ? variants : anyOf
})

const reducedProperties = once((properties: Record<string, Schema>): Record<string, Schema> => {
  const shown = Object.entries(properties)
    .filter(([name]) => !hidden.has(name))
    .map(([name, each]) => [name, name === 'customer' ? shortCustomerSchema(each) : reduced(each)] as const)
  const isSame =
    shown.length === Object.keys(properties).length && shown.every(([name, each]) => each === properties[name])
  return isSame ? properties : Object.fromEntries(shown)
})

/** Calls it once for each object: the OpenAPI document knows a schema by the object of its properties or variants. */
function once<T extends object>(reduce: (part: T) => T): (part: T) => T {
  const known = new WeakMap<T, T>()
  return (part) => {
    const result = known.get(part) ?? reduce(part)
    known.set(part, result)
    return result
  }
}

/** Null stays possible where it was; a schema that is short already stays as it is. */
function shortCustomerSchema(schema: Schema): Schema {
  const { type, anyOf, properties } = schema
  if (anyOf !== undefined) return { anyOf: anyOf.map((each) => (each.properties === undefined ? each : short)) }
  if (Object.keys(properties ?? {}).every((name) => (customerFields as readonly string[]).includes(name))) return schema
  return type === undefined || type === 'object' ? short : { ...short, type }
}

const short = { ...ClientCustomer, required: ['id', 'object'] } as Schema
