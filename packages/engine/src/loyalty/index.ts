export { accruals, earningScope } from './earning.ts'
export { expirationDate } from './expiry.ts'
export { coinPointsRatio, rewardMapping, rewardPrice } from './rewards.ts'
export { collectedInPeriod, moveTier, nextTierDate } from './tiers.ts'
