export {
  type BalanceExceeded,
  balanceOf,
  type Destination,
  earn,
  expire,
  nextExpiration,
  reverse,
  spend,
  totalsOf,
} from './balance.ts'
export { checkBundleRules } from './bundles.ts'
export { calculateOrder } from './calculated-order.ts'
export { didYouMean, nearestWord } from './did-you-mean.ts'
export { type EvaluateOptions, evaluate, openQualification, qualify } from './evaluate.ts'
export { argumentsOf, type CompiledFilter, checkFilter, compileFilter, filterFormat } from './filter/index.ts'
export {
  type Days,
  type FilterOperator,
  mapOperators,
  nearPeriods,
  operators as filterOperators,
  type StateOperator,
  stateOperators,
  yearPeriods,
} from './filter/operators.ts'
export { compileFormula, type Formula, type FormulaFault, isFault, whyNotForPoints } from './formula/index.ts'
export { type FieldFault, formulaFaults } from './formula-faults.ts'
export { type Box, boxOf, checkShape, isInside, type Point, readPoint } from './location.ts'
export {
  accruals,
  coinPointsRatio,
  collectedInPeriod,
  earningScope,
  expirationDate,
  moveTier,
  nextTierDate,
  rewardMapping,
  rewardPrice,
} from './loyalty/index.ts'
export { mulDiv } from './money.ts'
export type { ReasonKey } from './reasons.ts'
export {
  type Availability,
  checkRules,
  countersOf,
  defaultLogic,
  evaluateRule,
  type RuleOptions,
} from './rules/index.ts'
export { money, sentence } from './sentence.ts'
export { defaultStackingRules } from './stacking.ts'
export {
  addDuration,
  type Clock,
  clockAt,
  type Day,
  dayOf,
  dayText,
  localDay,
  type Ms,
  msPerDay,
  msPerMinute,
  partsOf,
  periodStart,
  readDay,
  readDuration,
  readInstant,
  startOfDay,
  startOfPeriod,
  startOfWeek,
  whyNotValid,
  type Zone,
  zoneOf,
} from './time/index.ts'
export { isRecord, type Scalar, toBoolean, toDay, toNumber } from './values.ts'
