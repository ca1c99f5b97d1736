import type { Line } from '../cart.ts'
import { productMetadata, valueAt } from '../goods.ts'
import type { Catalogue, MetadataType } from '../schema/index.ts'
import { isRecord, ownEntry, toBoolean } from '../values.ts'
import { type Condition, prepareConditions } from './conditions.ts'
import { domainOf } from './domains.ts'
import { decideItems, linesOf, sumOf } from './items.ts'
import { all, any, never } from './join.ts'
import { defaultLogic, isRuleKey, type Logic, parseLogic, ruleKeys } from './logic.ts'
import { aliases, type ItemsRule, type LinesRule, ruleNamed, type SubRule, type ValueRule } from './names.ts'
import { anything, type Matcher, referenceMatchers } from './references.ts'
import type { Expression, Node, Picker, Run } from './run.ts'

/** Limits that keep every evaluation short. */
const rulesMax = 500
const depthMax = 4

/** Where faults are told, and what was read so far. */
export interface Reading {
  refuse(fault: string): void
  rules_count: number
  readonly metadata_types: Catalogue['metadata_types']
}

/** Rules and the logic that joins them, ready to be asked. */
export interface Tree {
  readonly expression: Expression
  /** Those that logic names, in its order. */
  readonly nodes: readonly Node[]
}

/** Where a tree stands: what is said when its rules do not hold, and the rule they belong to. */
interface Place {
  readonly depth: number
  readonly text: string | null
  readonly parent: string | null
}

/**
 * Prepares a tree of rules (docs/reference/rules.md#rules-and-logic); null when there is nothing to hold. What is wrong in it is
 * told to `refuse`, and is false when it is evaluated nevertheless. `ask` wraps each rule where it is evaluated.
 */
export function compileTree(
  tree: unknown,
  place: Place,
  reading: Reading,
  ask: (node: Node) => Expression,
): Tree | null {
  if (tree === undefined || tree === null) return null
  const refused = (fault: string): Tree => {
    reading.refuse(fault)
    return { expression: never, nodes: [] }
  }
  if (!isRecord(tree)) return refused('Rules must be an object')
  const keys = ruleKeys(tree)
  reading.rules_count += keys.length
  if (reading.rules_count > rulesMax) return refused(`Rules must not be more than ${rulesMax}`)
  if (place.depth > depthMax && keys.length > 0)
    return refused(`Rules must not be nested in more than ${depthMax} levels`)

  const found = new Map<string, Node | null>()
  for (const key of keys) {
    const rule = tree[key]
    if (!isRuleKey(key))
      reading.refuse(`Rule key '${key}' must be a word without parentheses, and neither 'and' nor 'or'`)
    if (!isRecord(rule)) reading.refuse(`Rule '${key}' must be an object`)
    found.set(key, isRecord(rule) ? compileNode(key, rule, place, reading) : null)
  }

  const { logic: sent = null } = tree
  if (sent !== null && typeof sent !== 'string') return refused("Property 'logic' must be a string")
  const logic = parseLogic(sent === null || sent.trim() === '' ? defaultLogic(tree) : sent)
  if (logic === null) return null
  if ('fault' in logic) return refused(`Property 'logic' ${logic.fault} at position ${logic.position}`)
  const nodes = new Set<Node>()
  const join = (logic: Logic): Expression => {
    if ('all' in logic) return all(logic.all.map(join))
    if ('any' in logic) return any(logic.any.map(join))
    const node = found.get(logic.key)
    if (node === undefined) reading.refuse(`Property 'logic' names rule '${logic.key}', which does not exist`)
    if (node == null) return never
    nodes.add(node)
    return ask(node)
  }
  return { expression: join(logic), nodes: [...nodes] }
}

type Judge = Pick<Node, 'decide' | 'actual'> & Partial<Node>

const broken: Judge = { decide: () => false, actual: () => null }

function compileNode(key: string, rule: Record<string, unknown>, place: Place, reading: Reading): Node {
  const sentName = typeof rule.name === 'string' ? rule.name : ''
  const name = ownEntry(aliases, sentName) ?? sentName
  const property = typeof rule.property === 'string' && rule.property !== '' ? rule.property : null
  const text = textOf(rule.error)
  const faults: string[] = []
  if (rule.error != null && text === null) faults.push("must have a text in 'error.message'")
  const conditions = rule.conditions ?? {}
  if (!isRecord(conditions)) faults.push("must have an object in 'conditions'")
  const about = {
    key,
    sent_name: sentName,
    name,
    property,
    conditions: isRecord(conditions) ? conditions : {},
    ...domainOf(name),
    text: text ?? place.text,
    needs: null,
    is_counter: false,
    turns: null,
    subs: [],
    picker: null,
  }
  const refuse = (fault: string) => faults.push(fault)
  const below: Place = { depth: place.depth + 1, text: about.text, parent: sentName }
  const judge = judgeOf(about, rule, place, below, reading, refuse)
  for (const fault of faults) reading.refuse(`Rule '${sentName || key}' ${fault}`)
  return { ...about, ...(faults.length > 0 ? broken : judge) }
}

type About = Omit<Node, 'decide' | 'actual'>

function judgeOf(
  about: About,
  rule: Record<string, unknown>,
  { parent }: Place,
  below: Place,
  reading: Reading,
  refuse: (fault: string) => void,
): Judge {
  const { sent_name, property, conditions } = about
  const known = ruleNamed(sent_name)
  if (known === undefined) {
    refuse('is not a known rule')
    return broken
  }
  if (parent !== null && known.kind !== 'sub') refuse(`is not allowed under '${parent}'`)
  if (parent === null && known.kind === 'sub' && known.turns !== undefined) refuse('is only allowed under another rule')
  if (known.has_property && property === null) refuse("must have a 'property'")
  const isGeopoint = (schema: string) =>
    ownEntry(ownEntry(reading.metadata_types, schema), property ?? '') === 'geopoint'
  if (known.has_property && known.schemas?.some(isGeopoint)) refuse(`must not have a geopoint as 'property'`)

  const takesSubs = known.kind === 'items' || known.kind === 'sub'
  const tree = compileTree(rule.rules, below, reading, askSub)
  if (!takesSubs && tree !== null) refuse('must not have sub-rules')

  if (known.kind === 'items') return itemsJudge(known, about, tree, refuse)
  const condition = prepareConditions(conditions, known.argument, refuse)
  const holds: Holds = (value, run) => condition(value, typeOf(known.schemas, property, run), run.scene.clock)
  if (known.kind === 'value') return valueJudge(known, about, condition, holds)
  if (known.kind === 'lines') return linesJudge(known, about, holds)
  const judge = subJudge(known, about, tree, holds)
  return parent === null ? bareJudge(about, judge) : judge
}

type Holds = (value: unknown, run: Run) => boolean

/** The type that a metadata schema gives to a property. */
function typeOf(schemas: readonly string[] | undefined, property: string | null, run: Run): MetadataType | undefined {
  const { metadata_types } = run.scene.catalogue
  if (schemas === undefined || property === null || metadata_types == null) return undefined
  for (const schema of schemas) {
    const type = ownEntry(ownEntry(metadata_types, schema), property)
    if (type !== undefined) return type
  }
  return undefined
}

function valueJudge(known: ValueRule, { property }: About, condition: Condition, holds: Holds): Judge {
  const { needs = null, is_late = false, is_counter = false, is_permission = false } = known
  const actual = ({ scene }: Run) => known.value(scene, property ?? '')
  if (is_permission && condition(false, undefined, noClock)) return { decide: () => true, actual }
  return {
    needs,
    is_counter,
    actual,
    decide: (run) => (is_late && run.scene.effect === null ? null : holds(actual(run), run)),
  }
}

/** Whether someone may is a plain yes or no, which no clock changes. */
const noClock = null as never

function linesJudge({ quantifier, value, argument }: LinesRule, { property }: About, holds: Holds): Judge {
  const valueIn = (line: Line) => value(line, property ?? '')
  return {
    needs: 'lines',
    actual: (run) => linesOf(run).map((line) => valueIn(line) ?? null),
    decide(run) {
      let isAny = false
      for (const line of linesOf(run)) {
        if (line.quantity <= 0) continue
        const found = valueIn(line)
        // An unknown price is neither more nor less than anything, nor different from it.
        const isMet = !(found === undefined && argument === 'number') && holds(found, run)
        if (isMet && quantifier === 'any') return true
        if (!isMet && quantifier === 'each') return false
        isAny = true
      }
      return isAny && quantifier === 'each'
    },
  }
}

const askSub =
  (node: Node): Expression =>
  (run) => {
    const holds = node.decide(run)
    if (holds === false) run.reported ??= node
    return holds
  }

function subJudge(known: SubRule, { property }: About, tree: Tree | null, holds: Holds): Judge {
  const { sum, turns = null } = known
  const valueIn = (run: Run): unknown => {
    if (sum !== undefined) return sumOf(sum, run)
    return run.line === null ? undefined : known.line?.(run.line, property ?? '')
  }
  const isMet = (run: Run): boolean => {
    if (turns !== null) return true
    const value = valueIn(run)
    return !(value === undefined && known.argument === 'number') && holds(value, run)
  }
  return {
    turns,
    subs: tree?.nodes ?? [],
    actual: (run) => (turns === null ? valueIn(run) : true),
    decide: (run) => isMet(run) && (tree === null || tree.expression(run)),
  }
}

/** A sub-rule that stands alone is one of an unconditional `order.items.any`. */
function bareJudge(about: About, judge: Judge): Judge {
  const sub: Node = { ...about, ...judge }
  return pickerJudge([sub], {
    quantifier: 'any',
    isInPool: anything,
    matches: anything,
    sub: askSub(sub),
    is_bare: true,
    includes: false,
  })
}

function itemsJudge(known: ItemsRule, about: About, tree: Tree | null, refuse: (fault: string) => void): Judge {
  const subs = tree?.nodes ?? []
  const turned = (turn: SubRule['turns']) => subs.some((sub) => sub.turns === turn && isTrue(sub.conditions))
  const { isInPool, matches } = known.has_property
    ? { isInPool: anything, matches: metadataMatcher(known, about, refuse) }
    : referenceMatchers(about.conditions, known.object, refuse)
  return pickerJudge(subs, {
    quantifier: turned('into_every') ? 'every' : known.quantifier,
    isInPool,
    matches,
    sub: tree?.expression ?? null,
    includes: turned('into_included'),
    is_bare: false,
  })
}

const isTrue = ({ $is }: Record<string, unknown>): boolean => [$is].flat().some((a) => toBoolean(a) === true)

function pickerJudge(subs: readonly Node[], picker: Picker): Judge {
  return { needs: 'lines', subs, picker, decide: (run) => decideItems(picker, run), actual: () => null }
}

function metadataMatcher(
  { schemas }: ItemsRule,
  { property, conditions }: About,
  refuse: (fault: string) => void,
): Matcher {
  const condition = prepareConditions(conditions, 'any', refuse)
  return (item, { catalogue, clock }) => {
    const type = ownEntry(ownEntry(catalogue.metadata_types, schemas?.[0] ?? ''), property ?? '')
    return condition(valueAt(productMetadata(item), property ?? ''), type, clock)
  }
}

export const textOf = (error: unknown): string | null =>
  isRecord(error) && typeof error.message === 'string' ? error.message : null
