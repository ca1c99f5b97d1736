import { checkBundleRules, checkRules } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import { ApiError } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { completeApplicableTo } from './applicable-to.ts'
import { contextTypes, isContextType } from './context-types.ts'
import { defaults, filledBundle, filledRules, type RuleDefinition } from './definition.ts'
import type { ValidationRuleBody } from './schema.ts'

/** The properties of a rule that a body sets, checked and as they are stored; null means what a new rule has. */
export async function defineRule(ctx: Ctx, body: ValidationRuleBody): Promise<Partial<RuleDefinition>> {
  const { name, type, context_type, error, rules, bundle_rules, applicable_to } = body
  const said: Partial<RuleDefinition> = {}
  if (name !== undefined) said.name = name ?? defaults.name
  if (type !== undefined) said.type = type ?? defaults.type
  if (context_type !== undefined) said.context_type = contextType(context_type ?? defaults.context_type)
  if (error !== undefined) said.error = error?.message == null ? null : { message: error.message }
  if (rules !== undefined) {
    refuseFirst(checkRules(rules, { metadata_types: await typesWithGeopoints(ctx) }))
    said.rules = bounded('rules', filledRules(rules ?? {}))
  }
  if (bundle_rules !== undefined) {
    refuseFirst(checkBundleRules(bundle_rules))
    said.bundle_rules = bounded('bundle_rules', filledBundle(bundle_rules ?? {}))
  }
  if (applicable_to !== undefined)
    said.applicable_to = bounded('applicable_to', await completeApplicableTo(ctx, applicable_to ?? {}))
  return said
}

/**
 * Rules cannot compare geopoints, which only customers and products have (docs/reference/metadata-schemas.md#the-schema-object).
 */
const typesWithGeopoints = async (ctx: Ctx) => ({
  customer: await metadataTypes(ctx, 'customer'),
  product: await metadataTypes(ctx, 'product'),
})

function contextType(text: string): RuleDefinition['context_type'] {
  if (isContextType(text)) return text
  throw invalidRules(`Property .context_type must be equal to one of the allowed values [ ${contextTypes.join(', ')} ]`)
}

function refuseFirst([fault]: string[]): void {
  if (fault !== undefined) throw invalidRules(fault)
}

/** Rules are kept in memory and travel with every event about them; how many there may be and how deep, the engine says. */
function bounded<T extends object>(property: string, value: T): T {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= limits.rule_bytes_max) return value
  throw invalidRules(`Property .${property} must not be longer than ${limits.rule_bytes_max} bytes of JSON`)
}

const invalidRules = (details: string): ApiError => new ApiError('invalid_validation_rules', { details })
