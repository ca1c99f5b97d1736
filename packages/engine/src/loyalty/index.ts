export { accruals, earnedPoints, earningScene } from './earning.ts'
export { activationDate, expirationDate } from './expiry.ts'
export { coinPointsRatio, type PointsPayment, payWithPoints, rewardMapping, rewardPrice } from './rewards.ts'
export { collectedInPeriod, moveTier, nextTierDate } from './tiers.ts'
