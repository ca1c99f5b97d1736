import { checkBundleRules, checkRules } from '@guerdon/engine'
import type { Ctx } from '../../core/context.ts'
import { refuseWith } from '../../core/http/errors.ts'
import { limits } from '../../core/lib/limits.ts'
import { metadataTypes } from '../../definitions/metadata-schemas/rules.ts'
import { completeApplicableTo } from './applicable-to.ts'
import { contextTypes, isContextType } from './context-types.ts'
import { completeBundle, completeRules, defaults, type RuleDefinition } from './definition.ts'
import type { ValidationRuleBody } from './schema.ts'

/** The properties of a rule that a body sets, validated and in their stored form; null means the default of a new rule. */
export async function defineRule(ctx: Ctx, body: ValidationRuleBody): Promise<Partial<RuleDefinition>> {
  const { name, type, context_type, error, rules, bundle_rules, applicable_to } = body
  const definition: Partial<RuleDefinition> = {}
  if (name !== undefined) definition.name = name ?? defaults.name
  if (type !== undefined) definition.type = type ?? defaults.type
  if (context_type !== undefined) definition.context_type = contextType(context_type ?? defaults.context_type)
  if (error !== undefined) definition.error = error?.message == null ? null : { message: error.message }
  if (rules !== undefined) {
    refuseFaults('.rules', checkRules(rules, { metadata_types: await typesWithGeopoints(ctx) }))
    definition.rules = refuseTooLarge('rules', completeRules(rules ?? {}))
  }
  if (bundle_rules !== undefined) {
    refuseFaults('.bundle_rules', checkBundleRules(bundle_rules))
    definition.bundle_rules = refuseTooLarge('bundle_rules', completeBundle(bundle_rules ?? {}))
  }
  if (applicable_to !== undefined)
    definition.applicable_to = refuseTooLarge('applicable_to', await completeApplicableTo(ctx, applicable_to ?? {}))
  return definition
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

function refuseFaults(path: string, faults: readonly string[]): void {
  if (faults.length > 0) throw invalidRules(faults.map((details) => ({ path, details })))
}

/**
 * Limits the size of a rule: rules are cached in memory and contained in every event about them. The engine limits their
 * number and depth.
 */
function refuseTooLarge<T extends object>(property: string, value: T): T {
  const bytes = Buffer.byteLength(JSON.stringify(value))
  if (bytes <= limits.rule_bytes_max) return value
  throw invalidRules(`Property .${property} must not be longer than ${limits.rule_bytes_max} bytes of JSON`)
}

const invalidRules = refuseWith('invalid_validation_rules')
