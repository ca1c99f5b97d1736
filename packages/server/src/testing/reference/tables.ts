import { readFileSync } from 'node:fs'
import { operators as filterOperators, type Operator, type Takes } from '../../../../engine/src/filter/operators.ts'
import { functions } from '../../../../engine/src/formula/functions.ts'
import { lazyFunctions } from '../../../../engine/src/formula/run.ts'
import { type ArgumentKind, operators as ruleOperators } from '../../../../engine/src/rules/conditions.ts'
import { aliases, type RuleName, names as ruleNames } from '../../../../engine/src/rules/names.ts'
import { referenceRoles } from '../../../../engine/src/rules/references.ts'
import { catalogue, eventTypes } from '../../core/events/catalogue.ts'
import { errorKeys, errorMessage, errorStatus } from '../../core/http/errors.ts'
import { familyOf } from '../../core/http/operation.ts'
import { scopes, scopesFor } from '../../core/http/scopes.ts'
import { idKinds, idPrefix, newId } from '../../core/lib/ids.ts'
import { limits } from '../../core/lib/limits.ts'
import { BadSettings, type Environment, environment, readSettings } from '../../core/settings.ts'
import { operations } from '../../operations.ts'
import { reservedIds } from '../reserved-ids.ts'
import { filterFieldsTable } from './filter-fields.ts'
import { code, codes, grouped, table } from './markdown.ts'

/** The generated tables of docs/reference, by the name of their marker on the page. */
export const tables: Readonly<Record<string, () => string>> = {
  'error-keys': errorKeysTable,
  limits: limitsTable,
  settings: settingsTable,
  scopes: scopesTable,
  'id-prefixes': idPrefixesTable,
  'event-types': eventTypesTable,
  'rule-names': ruleNamesTable,
  'rule-operators': ruleOperatorsTable,
  'formula-functions': formulaFunctionsTable,
  'filter-operators': filterOperatorsTable,
  'filter-fields': filterFieldsTable,
}

function errorKeysTable(): string {
  return table(
    ['Key', 'Status', 'Message'],
    errorKeys.map((key) => [code(key), String(errorStatus(key)), code(errorMessage(key))]),
  )
}

/** The meaning of a limit is the comment above it. */
function limitsTable(): string {
  const source = readFileSync(new URL('../../core/lib/limits.ts', import.meta.url), 'utf8')
  const comments = new Map(
    [...source.matchAll(/\/\*\*((?:(?!\*\/).)*)\*\/\s*(\w+): /gs)].map(([, text = '', name]) => [
      name,
      text.replaceAll(/\s*\n\s*\*?\s*/g, ' ').trim(),
    ]),
  )
  return table(
    ['Limit', 'Value', 'Meaning'],
    Object.entries(limits).map(([name, value]) => {
      const comment = comments.get(name)
      if (comment === undefined) throw new Error(`core/lib/limits.ts: ${name} has no comment`)
      const meaning = comment.replaceAll(/docs\/reference\/([\w-]+\.md)(#[\w-]+)?/g, '[$1]($1$2)')
      return [code(name), grouped(value), meaning]
    }),
  )
}

function settingsTable(): string {
  return table(
    ['Setting', 'Default', 'Value', 'Meaning'],
    Object.entries(environment).map(([name, setting]) => [
      code(name),
      'standard' in setting ? code(setting.standard) : setting.unset,
      formOf(name),
      setting.meaning,
    ]),
  )
}

/** The form of a setting's value, taken from the error message for an invalid value. Other messages say what it needs beside it. */
function formOf(name: string): string {
  const messages = ['1/PT1S,1/PT1S', '?'].flatMap((bad) => errorsOf({ [name]: bad }))
  const wanted = messages.find((message) => /: (?:must|cannot be read)/.test(message))
  if (wanted === undefined) return 'text'
  return wanted
    .replace(/^(?:.*: must (?:be |have )?(.+?)(?:, not ".*")?|.*: cannot be read.*)$/, (_, form = 'a file') => form)
    .replace(/^one of (.+)$/, (_, words: string) => `one of ${codes(words.split(', '))}`)
    .replaceAll(/<.+>|\w+:\/\/|\d+\/PT\w+/g, '`$&`')
}

function errorsOf(env: Environment): string[] {
  try {
    readSettings(env)
    return []
  } catch (error) {
    if (error instanceof BadSettings) return error.message.split('\n').slice(1)
    throw error
  }
}

function scopesTable(): string {
  return table(
    ['Scope', 'Opens', 'Operations'],
    [...scopes].map((scope) => {
      const opened = operations.filter(({ path }) => scopesFor(path)?.some((name) => isSame(name, scope)))
      const [path] = opened.map((operation) => operation.path)
      const whole = scope === 'api' ? '/v1' : scope === 'client_api' ? '/client/v1' : null
      const part = path === undefined ? null : segmentOf(path)
      return [code(scope), (whole ?? part) ? code(`${whole ?? part}/**`) : 'not yet served', String(opened.length)]
    }),
  )
}

/** The SKU scope has two spellings. */
const isSame = (a: string, b: string): boolean => a === b || a.toLowerCase() === b.toLowerCase()

/** `/v1/vouchers` of `/v1/vouchers/{code}`. */
const segmentOf = (path: string): string =>
  path
    .split('/')
    .slice(0, familyOf(path) === 'client' ? 4 : 3)
    .join('/')

function idPrefixesTable(): string {
  return table(
    ['Prefix', 'Names', 'Followed by'],
    idKinds.map((kind) => {
      const rest = newId(kind).slice(idPrefix(kind).length)
      const form = /^[0-9a-f]{18}$/.test(rest) ? '18 hexadecimal digits' : `${rest.length} of \`[0-9A-Za-z]\``
      const reason = reservedIds[kind]
      return [code(idPrefix(kind)), nameOf(kind), reason === undefined ? form : `(${reason})`]
    }),
  )
}

const nameOf = (kind: string): string =>
  kind.replaceAll('_', ' ').replaceAll(/\b(?:api|sku)\b/g, (word) => word.toUpperCase())

function eventTypesTable(): string {
  return table(
    ['Type', 'Category', 'Entity', 'Id', 'Webhook'],
    eventTypes.map((type) => {
      const { category, entity, webhook, never } = catalogue[type]
      return [
        code(type),
        never ? `${code(category)}, never emitted` : code(category),
        entity.replaceAll('_', ' '),
        code(idPrefix(`${entity}_event`)),
        webhook ? 'yes' : '',
      ]
    }),
  )
}

function ruleNamesTable(): string {
  const olderNames = Map.groupBy(Object.keys(aliases), (alias) => aliases[alias] as string)
  return table(
    ['Name', 'Older names', 'Arguments', 'Needs', 'Notes'],
    Object.entries(ruleNames).map(([name, rule]) => [
      code(name),
      codes(olderNames.get(name) ?? []),
      'argument' in rule ? argumentNames[rule.argument] : rule.has_property ? argumentNames.any : 'goods',
      neededBy(rule),
      notesOn(rule).join(', '),
    ]),
  )
}

const argumentNames: Readonly<Record<ArgumentKind, string>> = {
  number: 'numbers',
  text: 'texts',
  boolean: '`true` or `false`',
  any: 'plain values',
}

const neededBy = (rule: RuleName): string => (rule.kind === 'value' ? (rule.needs ?? '') : 'lines')

function notesOn(rule: RuleName): string[] {
  const notes: string[] = []
  if (rule.has_property) notes.push('with `property`')
  if (rule.kind === 'sub') notes.push('sub-rule')
  if (rule.kind === 'items') notes.push('takes sub-rules')
  if (rule.kind === 'value' && rule.is_counter) notes.push('[counter](#counters)')
  if (rule.kind === 'value' && rule.is_late) notes.push('decided last')
  return notes
}

/** A few operators compare goods; `$from` compares only goods. */
function ruleOperatorsTable(): string {
  const names = new Set([...Object.keys(ruleOperators), ...Object.keys(referenceRoles)])
  return table(
    ['Operator', 'Arguments', 'A single one may stand without a list', 'Takes goods'],
    [...names].map((name) => [
      code(name),
      argumentsOf(name),
      ruleOperators[name]?.is_single ? 'yes' : '',
      name in referenceRoles ? 'yes' : '',
    ]),
  )
}

/** The arguments of an operator, taken from its error message for invalid ones. */
function argumentsOf(name: string): string {
  const operator = ruleOperators[name]
  if (operator === undefined) return 'goods'
  const wanted = operator.prepare(['?'])
  const words =
    typeof wanted === 'string'
      ? wanted.replace(/^'(.*)'$/, '`$1`')
      : operator.is_typed
        ? 'as the rule name says'
        : 'plain values'
  return operator.may_be_empty ? `${words}, or none` : words
}

function formulaFunctionsTable(): string {
  return table(
    ['Function', 'Arguments'],
    Object.entries({ ...lazyFunctions, ...functions }).map(([name, { least, most }]) => [
      code(name),
      least === most ? String(least) : most === Number.POSITIVE_INFINITY ? `${least} or more` : `${least} to ${most}`,
    ]),
  )
}

/** Operators with the same arguments share a row. */
function filterOperatorsTable(): string {
  const rows = Map.groupBy(Object.entries<Operator>(filterOperators), ([, operator]) => argumentsText(operator))
  return table(
    ['Arguments', 'Operators'],
    [...rows].map(([taken, operators]) => [taken, codes(operators.map(([name]) => name))]),
  )
}

function argumentsText({ takes, minimum, maximum }: Operator): string {
  const from = minimum === undefined ? '' : ` from ${minimum}`
  return `${argumentsNames[takes]}${from}${maximum === undefined ? '' : ` to ${maximum}`}`
}

const argumentsNames: Readonly<Record<Takes, string>> = {
  nothing: 'none: what is sent is ignored',
  switch: '`true`',
  value: 'values of the type of the field',
  text: 'texts',
  magnitude: 'numbers or dates',
  instant: 'dates',
  integer: 'whole numbers',
}
