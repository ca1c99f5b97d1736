import type { AudienceTables } from './tables/audience.ts'
import type { CampaignTables } from './tables/campaigns.ts'
import type { CatalogueTables } from './tables/catalogue.ts'
import type { CheckoutTables } from './tables/checkout.ts'
import type { CodeTables } from './tables/codes.ts'
import type { ConfigurationTables } from './tables/configuration.ts'
import type { InstallationTables } from './tables/installation.ts'
import type { LoyaltyTables } from './tables/loyalty.ts'
import type { MonitoringTables } from './tables/monitoring.ts'
import type { PlatformTables } from './tables/platform.ts'
import type { ReferralTables } from './tables/referrals.ts'
import type { StatisticsTables } from './tables/statistics.ts'
import type { WebhookTables } from './tables/webhooks.ts'

export type * from './tables/audience.ts'
export type * from './tables/campaigns.ts'
export type * from './tables/catalogue.ts'
export type * from './tables/checkout.ts'
export type * from './tables/codes.ts'
export type * from './tables/columns.ts'
export type * from './tables/configuration.ts'
export type * from './tables/installation.ts'
export type * from './tables/loyalty.ts'
export type * from './tables/monitoring.ts'
export type * from './tables/platform.ts'
export type * from './tables/referrals.ts'
export type * from './tables/statistics.ts'
export type * from './tables/webhooks.ts'

/** The columns of every table, as the driver returns them: instants as ISO strings, `bigint` as number, `jsonb` parsed. */
export interface Tables
  extends InstallationTables,
    PlatformTables,
    MonitoringTables,
    ConfigurationTables,
    AudienceTables,
    CatalogueTables,
    CampaignTables,
    CodeTables,
    CheckoutTables,
    LoyaltyTables,
    ReferralTables,
    StatisticsTables,
    WebhookTables {}
