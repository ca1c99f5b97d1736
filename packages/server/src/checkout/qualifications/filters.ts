import type { Offer } from './offers.ts'
import type { QualificationFilters } from './schema.ts'

/** The fields of filters. */
type Field = Exclude<keyof QualificationFilters, 'junction'>

type Conditions = NonNullable<NonNullable<QualificationFilters[Field]>['conditions']>

/** The parsed filters of a qualification. */
export interface Filters {
  matches(offer: Offer): boolean
  /** The values that the filters allow for a field; null: any. */
  only(field: Field): readonly string[] | null
  /** Whether no offer with this value of a field can match. */
  excludes(field: Field, value: string | null): boolean
}

/** Codes are compared by `codeKey`, as the project is case-sensitive or not. */
export function readFilters(sent: QualificationFilters | null | undefined, codeKey: (code: string) => string): Filters {
  const { junction, ...fields } = sent ?? {}
  const fieldFilters = Object.entries(fields).flatMap(([field, filter]) => {
    const conditions = filter?.conditions
    return conditions == null
      ? []
      : [{ field: field as Field, holds: readConditions(conditions, field, codeKey), conditions }]
  })
  const isAny = junction?.toLowerCase() === 'or'
  return {
    matches: (offer) =>
      fieldFilters.length === 0 ||
      fieldFilters[isAny ? 'some' : 'every'](({ field, holds }) => holds(fieldOf(offer, field, codeKey))),
    only(field) {
      if (isAny) return null
      const conditions = fieldFilters.find((filter) => filter.field === field)?.conditions
      return conditions?.$in ?? conditions?.$is?.slice(0, 1) ?? null
    },
    excludes: (field, value) => !isAny && fieldFilters.some((filter) => filter.field === field && !filter.holds(value)),
  }
}

function readConditions(
  { $is, $is_not, $in, $not_in, $has_value, $is_unknown }: Conditions,
  field: string,
  codeKey: (code: string) => string,
): (value: string | null) => boolean {
  const set = (values: readonly string[]) => new Set(field === 'code' ? values.map(codeKey) : values)
  const checks: Array<(value: string | null) => boolean> = []
  const oneOf = (values: ReadonlySet<string>) => (value: string | null) => value !== null && values.has(value)
  const noneOf = (values: ReadonlySet<string>) => (value: string | null) => value === null || !values.has(value)
  if ($is != null) checks.push(oneOf(set($is.slice(0, 1))))
  if ($in != null) checks.push(oneOf(set($in)))
  if ($is_not != null) checks.push(noneOf(set($is_not.slice(0, 1))))
  if ($not_in != null) checks.push(noneOf(set($not_in)))
  if ($has_value != null) checks.push((value) => value !== null)
  if ($is_unknown != null) checks.push((value) => value === null)
  return (value) => checks.every((check) => check(value))
}

function fieldOf(offer: Offer, field: Field, codeKey: (code: string) => string): string | null {
  switch (field) {
    case 'category_id':
      return offer.category_id
    case 'campaign_id':
      return offer.campaign?.id ?? null
    case 'campaign_type':
      return offer.campaign?.campaign_type ?? null
    case 'resource_id':
      return offer.resource_id
    case 'resource_type':
      return offer.object
    case 'voucher_type':
      return offer.voucher_type
    case 'code':
      return offer.object === 'voucher' ? codeKey(offer.id) : null
    case 'holder_role':
      return offer.holder_role
  }
}
