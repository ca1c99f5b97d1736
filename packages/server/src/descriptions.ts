import { accountDescriptions } from './account/descriptions.ts'
import { audienceDescriptions } from './audience/descriptions.ts'
import { catalogueDescriptions } from './catalogue/descriptions.ts'
import { checkoutDescriptions } from './checkout/descriptions.ts'
import { coreDescriptions } from './core/descriptions.ts'
import type { Descriptions } from './core/http/openapi-descriptions.ts'
import { definitionDescriptions } from './definitions/descriptions.ts'
import { exportDescriptions } from './exports/descriptions.ts'
import { incentiveDescriptions } from './incentives/descriptions.ts'
import { loyaltyDescriptions } from './loyalty/descriptions.ts'
import { monitoringDescriptions } from './monitoring/descriptions.ts'
import { orderDescriptions } from './orders/descriptions.ts'
import { redemptionDescriptions } from './redemptions/descriptions.ts'
import { ruleDescriptions } from './rules/descriptions.ts'
import { termsDescriptions } from './rules/terms/descriptions.ts'
import { statisticsDescriptions } from './statistics/descriptions.ts'
import { binDescriptions } from './trash-bin/descriptions.ts'
import { webhookDescriptions } from './webhooks/descriptions.ts'

const tables: readonly Descriptions[] = [
  coreDescriptions,
  accountDescriptions,
  monitoringDescriptions,
  webhookDescriptions,
  definitionDescriptions,
  audienceDescriptions,
  catalogueDescriptions,
  orderDescriptions,
  termsDescriptions,
  ruleDescriptions,
  incentiveDescriptions,
  checkoutDescriptions,
  loyaltyDescriptions,
  redemptionDescriptions,
  binDescriptions,
  statisticsDescriptions,
  exportDescriptions,
]

/** What the OpenAPI document says about properties whose schema does not say it itself. Every module adds to the table `*`. */
export const descriptions: Descriptions = merged(tables)

function merged(parts: readonly Descriptions[]): Descriptions {
  const whole: Record<string, Record<string, string>> = {}
  for (const part of parts) {
    for (const [name, table] of Object.entries(part)) {
      const known = whole[name] ?? {}
      const twice = Object.keys(table).find((key) => key in known)
      if (twice !== undefined) throw new Error(`Two descriptions of ${name}: ${twice}`)
      whole[name] = { ...known, ...table }
    }
  }
  return whole
}
