import type { Line } from '../cart.ts'
import { didYouMean } from '../did-you-mean.ts'
import { productMetadata, valueAt } from '../goods.ts'
import type { Catalogue, MetadataType } from '../schema/index.ts'
import { isRecord, ownEntry, toBoolean, toNumber } from '../values.ts'
import { comparisonSteps, WorkMeter } from '../work.ts'
import { type Condition, type FaultReporter, prepareConditions, scannedArguments } from './conditions.ts'
import { domainOf } from './domains.ts'
import { evaluateItems, linesOf, sumOf } from './items.ts'
import { all, any, never } from './join.ts'
import { defaultLogic, isRuleKey, type Logic, parseLogic, ruleKeys } from './logic.ts'
import {
  aliases,
  type ItemsRule,
  knownNames,
  type LinesRule,
  ruleNamed,
  type SubRule,
  type ValueRule,
} from './names.ts'
import { anything, type Matcher, referenceMatchers } from './references.ts'
import type { Expression, Node, Picker, RuleRun } from './run.ts'

/** Limits that bound the time of an evaluation. */
const rulesMax = 500
const depthMax = 4

/** Collects faults, and counts the rules read so far. */
export interface CompileContext {
  reportFault: FaultReporter
  rules_count: number
  readonly metadata_types: Catalogue['metadata_types']
}

/** Compiled rules and the expression that joins them. */
export interface Tree {
  readonly expression: Expression
  /** The rules that `logic` names, in its order. */
  readonly nodes: readonly Node[]
}

/** The position of a tree: its depth, its error message, and the rule it belongs to. */
interface Place {
  readonly depth: number
  readonly text: string | null
  readonly parent: string | null
}

/**
 * Compiles a tree of rules (docs/reference/rules.md#rules-and-logic); null when it has no rules. Faults go to
 * `reportFault`; a faulty rule evaluates to false. `evaluateNode` wraps each rule for evaluation.
 */
export function compileTree(
  tree: unknown,
  place: Place,
  context: CompileContext,
  evaluateNode: (node: Node) => Expression,
): Tree | null {
  if (tree === undefined || tree === null) return null
  const faultyTree = (fault: string): Tree => {
    context.reportFault(fault)
    return { expression: never, nodes: [] }
  }
  if (!isRecord(tree)) return faultyTree('Rules must be an object')
  const keys = ruleKeys(tree)
  context.rules_count += keys.length
  if (context.rules_count > rulesMax) return faultyTree(`Rules must not be more than ${rulesMax}`)
  if (place.depth > depthMax && keys.length > 0)
    return faultyTree(`Rules must not be nested in more than ${depthMax} levels`)

  const nodesByKey = new Map<string, Node | null>()
  for (const key of keys) {
    const rule = tree[key]
    if (!isRuleKey(key))
      context.reportFault(`Rule key '${key}' must be a word without parentheses, and neither 'and' nor 'or'`)
    if (!isRecord(rule)) context.reportFault(`Rule '${key}' must be an object`)
    nodesByKey.set(key, isRecord(rule) ? compileNode(key, rule, place, context) : null)
  }

  const { logic: sentLogic = null } = tree
  if (sentLogic !== null && typeof sentLogic !== 'string') return faultyTree("Property 'logic' must be a string")
  const logic = parseLogic(sentLogic === null || sentLogic.trim() === '' ? defaultLogic(tree) : sentLogic)
  if (logic === null) return null
  if ('fault' in logic) return faultyTree(`Property 'logic' ${logic.fault} at position ${logic.position}`)
  const nodes = new Set<Node>()
  const join = (logic: Logic): Expression => {
    if ('all' in logic) return all(logic.all.map(join))
    if ('any' in logic) return any(logic.any.map(join))
    const node = nodesByKey.get(logic.key)
    if (node === undefined) context.reportFault(`Property 'logic' names rule '${logic.key}', which does not exist`)
    if (node == null) return never
    nodes.add(node)
    return evaluateNode(node)
  }
  return { expression: join(logic), nodes: [...nodes] }
}

type NodeEvaluator = Pick<Node, 'decide' | 'actual'> & Partial<Node>

const faultyEvaluator: NodeEvaluator = { decide: () => false, actual: () => null }

function compileNode(key: string, rule: Record<string, unknown>, place: Place, context: CompileContext): Node {
  const sentName = typeof rule.name === 'string' ? rule.name : ''
  const name = ownEntry(aliases, sentName) ?? sentName
  const property = typeof rule.property === 'string' && rule.property !== '' ? rule.property : null
  const text = textOf(rule.error)
  const faults: Array<Parameters<FaultReporter>> = []
  const reportFault: FaultReporter = (...fault) => faults.push(fault)
  if (rule.error != null && text === null) reportFault("must have a text in 'error.message'")
  const conditions = rule.conditions ?? {}
  if (!isRecord(conditions)) reportFault("must have an object in 'conditions'")
  const definition = {
    key,
    sent_name: sentName,
    name,
    property,
    conditions: isRecord(conditions) ? conditions : {},
    ...domainOf(name),
    text: text ?? place.text,
    needs: null,
    is_counter: false,
    modifier: null,
    subRules: [],
    picker: null,
  }
  const subPlace: Place = { depth: place.depth + 1, text: definition.text, parent: sentName }
  const evaluator = evaluatorOf(definition, rule, place, subPlace, context, reportFault)
  for (const [fault, suggestion] of faults) context.reportFault(`Rule '${sentName || key}' ${fault}`, suggestion)
  return { ...definition, ...(faults.length > 0 ? faultyEvaluator : evaluator) }
}

type NodeDefinition = Omit<Node, 'decide' | 'actual'>

function evaluatorOf(
  definition: NodeDefinition,
  rule: Record<string, unknown>,
  { parent }: Place,
  subPlace: Place,
  context: CompileContext,
  reportFault: FaultReporter,
): NodeEvaluator {
  const { sent_name, property, conditions } = definition
  const ruleKind = ruleNamed(sent_name)
  if (ruleKind === undefined) {
    reportFault('is not a known rule', () => didYouMean(sent_name, knownNames))
    return faultyEvaluator
  }
  if (parent !== null && ruleKind.kind !== 'sub') reportFault(`is not allowed under '${parent}'`)
  if (parent === null && ruleKind.kind === 'sub' && ruleKind.modifier !== undefined)
    reportFault('is only allowed under another rule')
  if (ruleKind.has_property && property === null) reportFault("must have a 'property'")
  const isGeopoint = (schema: string) =>
    ownEntry(ownEntry(context.metadata_types, schema), property ?? '') === 'geopoint'
  if (ruleKind.has_property && ruleKind.schemas?.some(isGeopoint)) reportFault(`must not have a geopoint as 'property'`)

  const acceptsSubRules = ruleKind.kind === 'items' || ruleKind.kind === 'sub'
  const tree = compileTree(rule.rules, subPlace, context, evaluateSubNode)
  if (!acceptsSubRules && tree !== null) reportFault('must not have sub-rules')

  if (ruleKind.kind === 'items') return itemsEvaluator(ruleKind, definition, tree, reportFault)
  const condition = prepareConditions(conditions, ruleKind.argument, reportFault)
  const scanned = scannedArguments(conditions)
  const holds: Holds = (value, run) => {
    run.scope.work.spend(comparisonSteps(value, scanned))
    return condition(value, typeOf(ruleKind.schemas, property, run), run.scope.clock)
  }
  if (ruleKind.kind === 'value') return valueEvaluator(ruleKind, definition, condition, holds)
  if (ruleKind.kind === 'lines') return linesEvaluator(ruleKind, definition, holds)
  const evaluator = subRuleEvaluator(ruleKind, definition, tree, holds)
  return parent === null ? standaloneEvaluator(definition, evaluator) : evaluator
}

type Holds = (value: unknown, run: RuleRun) => boolean

/** The type of a property in the metadata schemas. */
function typeOf(
  schemas: readonly string[] | undefined,
  property: string | null,
  run: RuleRun,
): MetadataType | undefined {
  const { metadata_types } = run.scope.catalogue
  if (schemas === undefined || property === null || metadata_types == null) return undefined
  for (const schema of schemas) {
    const type = ownEntry(ownEntry(metadata_types, schema), property)
    if (type !== undefined) return type
  }
  return undefined
}

function valueEvaluator(
  ruleKind: ValueRule,
  { property }: NodeDefinition,
  condition: Condition,
  holds: Holds,
): NodeEvaluator {
  const { needs = null, is_late = false, is_counter = false, is_permission = false } = ruleKind
  const actual = ({ scope }: RuleRun) => ruleKind.value(scope, property ?? '')
  if (is_permission && condition(false, undefined, noClock)) return { decide: () => true, actual }
  return {
    needs,
    is_counter,
    actual,
    decide: (run) => (is_late && run.scope.effect === null ? null : holds(actual(run), run)),
  }
}

/** A boolean condition does not read the clock. */
const noClock = null as never

function linesEvaluator(
  { quantifier, value, argument }: LinesRule,
  { property }: NodeDefinition,
  holds: Holds,
): NodeEvaluator {
  const valueIn = (line: Line) => value(line, property ?? '')
  return {
    needs: 'lines',
    actual: (run) => linesOf(run).map((line) => valueIn(line) ?? null),
    decide(run) {
      let hasLine = false
      for (const line of linesOf(run)) {
        if (line.quantity <= 0) continue
        const lineValue = valueIn(line)
        // An unknown price satisfies no comparison, not even "is not".
        const isMet = !(lineValue === undefined && argument === 'number') && holds(lineValue, run)
        if (isMet && quantifier === 'any') return true
        if (!isMet && quantifier === 'each') return false
        hasLine = true
      }
      return hasLine && quantifier === 'each'
    },
  }
}

const evaluateSubNode =
  (node: Node): Expression =>
  (run) => {
    const holds = node.decide(run)
    if (holds === false) run.reported ??= node
    return holds
  }

function subRuleEvaluator(
  ruleKind: SubRule,
  { property, conditions }: NodeDefinition,
  tree: Tree | null,
  holds: Holds,
): NodeEvaluator {
  const { sum, modifier = null, is_quantity = false } = ruleKind
  const largest = is_quantity ? largestQuantity(conditions, holds) : () => null
  const isReachable = (quantity: unknown, run: RuleRun): boolean =>
    typeof quantity === 'number' && quantity < (largest(run) ?? quantity)
  const valueIn = (run: RuleRun): unknown => {
    if (sum !== undefined) return sumOf(sum, run)
    return run.line === null ? undefined : ruleKind.line?.(run.line, property ?? '')
  }
  const isMet = (run: RuleRun): boolean => {
    if (modifier !== null) return true
    const value = valueIn(run)
    if (value === undefined && ruleKind.argument === 'number') return false
    return holds(value, run) || (run.counts_missing_units && isReachable(value, run))
  }
  return {
    modifier,
    subRules: tree?.nodes ?? [],
    actual: (run) => (modifier === null ? valueIn(run) : true),
    decide: (run) => isMet(run) && (tree === null || tree.expression(run)),
  }
}

/**
 * The largest quantity that satisfies the conditions, as far as their arguments show: their result can only change at an
 * argument and one above it. Null when there is none. Found once for each rule.
 */
function largestQuantity(conditions: Record<string, unknown>, holds: Holds): (run: RuleRun) => number | null {
  let largest: number | null | undefined
  return (run) => {
    // A budget of its own: what an evaluation may do must not depend on whether an earlier one has found it.
    const ownRun = { ...run, scope: { ...run.scope, work: new WorkMeter() } }
    if (largest === undefined) {
      const numbers = Object.values(conditions).flat().map(toNumber)
      const quantities = numbers.flatMap((number) =>
        number === null ? [] : [Math.ceil(number), Math.floor(number) + 1],
      )
      largest = quantities.sort((a, b) => b - a).find((quantity) => holds(quantity, ownRun)) ?? null
    }
    return largest
  }
}

/** A sub-rule without a parent is evaluated as part of an unconditional `order.items.any`. */
function standaloneEvaluator(definition: NodeDefinition, evaluator: NodeEvaluator): NodeEvaluator {
  const sub: Node = { ...definition, ...evaluator }
  return pickerEvaluator([sub], {
    quantifier: 'any',
    isInPool: anything,
    matches: anything,
    subExpression: evaluateSubNode(sub),
    is_bare: true,
    includes: false,
  })
}

function itemsEvaluator(
  ruleKind: ItemsRule,
  definition: NodeDefinition,
  tree: Tree | null,
  reportFault: FaultReporter,
): NodeEvaluator {
  const subRules = tree?.nodes ?? []
  const hasModifier = (modifier: SubRule['modifier']) =>
    subRules.some((sub) => sub.modifier === modifier && isTrue(sub.conditions))
  const { isInPool, matches } = ruleKind.has_property
    ? { isInPool: anything, matches: metadataMatcher(ruleKind, definition, reportFault) }
    : referenceMatchers(definition.conditions, ruleKind.object, reportFault)
  return pickerEvaluator(subRules, {
    quantifier: hasModifier('into_every') ? 'every' : ruleKind.quantifier,
    isInPool,
    matches,
    subExpression: tree?.expression ?? null,
    includes: hasModifier('into_included'),
    is_bare: false,
  })
}

const isTrue = ({ $is }: Record<string, unknown>): boolean => [$is].flat().some((a) => toBoolean(a) === true)

function pickerEvaluator(subRules: readonly Node[], picker: Picker): NodeEvaluator {
  return { needs: 'lines', subRules, picker, decide: (run) => evaluateItems(picker, run), actual: () => null }
}

function metadataMatcher(
  { schemas }: ItemsRule,
  { property, conditions }: NodeDefinition,
  reportFault: FaultReporter,
): Matcher {
  const condition = prepareConditions(conditions, 'any', reportFault)
  const scanned = scannedArguments(conditions)
  return (item, { catalogue, clock, work }) => {
    const type = ownEntry(ownEntry(catalogue.metadata_types, schemas?.[0] ?? ''), property ?? '')
    const value = valueAt(productMetadata(item), property ?? '')
    work.spend(comparisonSteps(value, scanned))
    return condition(value, type, clock)
  }
}

export const textOf = (error: unknown): string | null =>
  isRecord(error) && typeof error.message === 'string' ? error.message : null
