import { parsePlPgSQL, parseSync } from 'libpg-query'

/*
 * Looks at SQL as Citus does: a statement runs on the server of its project only if it names the project of every table, as a value or by
 * a join with a table whose project is a value, in each of its subqueries. docs/decisions/0082-distributed-by-project.md says what else it needs.
 */

/** The tables that are distributed, and the column by which. */
export type DistributedTables = ReadonlyMap<string, string>

/** What keeps a statement from running on the server of its project. */
export function problemsOf(text: string, tables: DistributedTables): string[] {
  const problems: string[] = []
  for (const { stmt } of parseSync(text).stmts ?? []) inspect(stmt, { tables, problems, names: new Set() })
  return [...new Set(problems)]
}

/** The statements of a function in PL/pgSQL. */
export async function statementsOfFunction(text: string): Promise<string[]> {
  const found: string[] = []
  const walk = (value: unknown): void => {
    if (typeof value !== 'object' || value === null) return
    const { PLpgSQL_expr: expression } = value as { PLpgSQL_expr?: { query: string; parseMode?: number } }
    if (expression !== undefined) found.push(expression.query)
    for (const each of Object.values(value)) walk(each)
  }
  walk(await parsePlPgSQL(text))
  // An expression is a statement without its first word; an assignment begins with the variable.
  return found.map((query) => {
    const expression = query.replace(/^\s*[\w.]+\s*:=/, '')
    return /^\s*(select|insert|update|delete|with)\b/i.test(expression) ? expression : `select ${expression}`
  })
}

type Node = Record<string, unknown>

interface Inspection {
  tables: DistributedTables
  problems: string[]
  /** Names of common table expressions, which hide tables of the same name. */
  names: ReadonlySet<string>
}

function inspect(node: unknown, inspection: Inspection): void {
  if (Array.isArray(node)) for (const each of node) inspect(each, inspection)
  if (typeof node !== 'object' || node === null || Array.isArray(node)) return
  for (const [kind, value] of Object.entries(node))
    if (['SelectStmt', 'UpdateStmt', 'DeleteStmt', 'InsertStmt'].includes(kind))
      inspectStatement(kind, value as Node, inspection)
    else inspect(value, inspection)
}

function inspectStatement(kind: string, statement: Node, outer: Inspection): void {
  const inspection = { ...outer, names: new Set([...outer.names, ...namesOf(statement)]) }
  if (kind === 'InsertStmt') inspectInsert(statement, inspection)
  else inspectLevel(kind, statement, inspection)
  // The parts of a union are not wrapped.
  for (const side of ['larg', 'rarg'])
    if (statement[side] !== undefined) inspectStatement('SelectStmt', statement[side] as Node, inspection)
  for (const [name, value] of Object.entries(statement))
    if (!['larg', 'rarg'].includes(name)) inspect(value, inspection)
}

const namesOf = ({ withClause }: Node): string[] =>
  ((withClause as { ctes?: Array<{ CommonTableExpr: { ctename: string } }> } | undefined)?.ctes ?? []).map(
    ({ CommonTableExpr }) => CommonTableExpr.ctename,
  )

/** Of rows from JSON or an array, an insert sees a conflict only where they are joined with a row of the project. */
function inspectInsert(
  { relation, selectStmt, onConflictClause }: Node,
  { tables, problems, names }: Inspection,
): void {
  const name = (relation as { relname: string }).relname
  const select = (selectStmt as { SelectStmt?: Node } | undefined)?.SelectStmt
  if (!tables.has(name) || onConflictClause === undefined || select === undefined || select.valuesLists !== undefined)
    return
  if (relationsIn(select.fromClause, true).every((each) => names.has(each.name) || !tables.has(each.name)))
    problems.push(`inserts into ${name} from a query without the row of the project`)
}

/** Every distributed table of one level has to be tied to a value; what an outer level says does not count. */
function inspectLevel(kind: string, statement: Node, { tables, problems, names }: Inspection): void {
  const from =
    kind === 'UpdateStmt' ? statement.fromClause : kind === 'DeleteStmt' ? statement.usingClause : statement.fromClause
  const relations = [
    ...(kind === 'SelectStmt' ? [] : relationsIn([{ RangeVar: statement.relation }])),
    ...relationsIn(from),
  ].filter(({ name }) => tables.has(name) && !names.has(name))
  if (relations.length === 0) return
  const equal = new Map<string, Set<string>>()
  const connect = (a: string, b: string) => {
    equal.set(a, (equal.get(a) ?? new Set()).add(b))
    equal.set(b, (equal.get(b) ?? new Set()).add(a))
  }
  for (const [left, right] of equalitiesIn([statement.whereClause, from])) connect(left, right)
  const reached = new Set<string>([value])
  for (const each of reached) for (const next of equal.get(each) ?? []) reached.add(next)
  for (const { name, alias } of relations) {
    const column = tables.get(name) as string
    const isTied = reached.has(`${alias}.${column}`) || (relations.length === 1 && reached.has(`.${column}`))
    if (!isTied) problems.push(`reads ${name} without its project`)
  }
}

/** The tables of a list of them; with `deep` also those of subqueries in it. */
function relationsIn(node: unknown, deep = false): Array<{ name: string; alias: string }> {
  if (Array.isArray(node)) return node.flatMap((each) => relationsIn(each, deep))
  if (typeof node !== 'object' || node === null) return []
  const {
    RangeVar: relation,
    JoinExpr: join,
    RangeSubselect: nested,
  } = node as {
    RangeVar?: { relname: string; alias?: { aliasname: string } }
    JoinExpr?: { larg: unknown; rarg: unknown }
    RangeSubselect?: { subquery: { SelectStmt?: Node } }
  }
  if (deep && nested !== undefined) return relationsIn(nested.subquery.SelectStmt?.fromClause, deep)
  if (relation !== undefined) return [{ name: relation.relname, alias: relation.alias?.aliasname ?? relation.relname }]
  return join === undefined ? [] : [...relationsIn(join.larg, deep), ...relationsIn(join.rarg, deep)]
}

/** Stands for any parameter, constant or variable. */
const value = 'a value'

/** Columns that the conditions of one level make equal to each other or to a value; not those of a subquery, or beside an `or`. */
function equalitiesIn(node: unknown): Array<[string, string]> {
  if (Array.isArray(node)) return node.flatMap(equalitiesIn)
  if (typeof node !== 'object' || node === null) return []
  const { A_Expr: comparison, BoolExpr: bool, JoinExpr: join } = node as Record<string, Node | undefined>
  if (bool !== undefined) return bool.boolop === 'AND_EXPR' ? equalitiesIn(bool.args) : []
  if (join !== undefined) return [...equalitiesIn(join.quals), ...equalitiesIn(join.larg), ...equalitiesIn(join.rarg)]
  const operator = (comparison?.name as Array<{ String?: { sval: string } }> | undefined)?.[0]?.String?.sval
  if (comparison?.kind !== 'AEXPR_OP' || operator !== '=') return []
  return [[operandOf(comparison.lexpr), operandOf(comparison.rexpr)]]
}

function operandOf(node: unknown): string {
  const { ColumnRef: column, TypeCast: cast } = node as {
    ColumnRef?: { fields: Array<{ String?: { sval: string } }> }
    TypeCast?: { arg: unknown }
  }
  if (cast !== undefined) return operandOf(cast.arg)
  if (column !== undefined) {
    const names = column.fields.map(({ String: text }) => text?.sval ?? '*')
    // The parameters and variables of our functions.
    if (names.length === 1 && ['project', 'hole'].includes(names[0] as string)) return value
    if (names[0] === 'old' || names[0] === 'new') return value
    return names.length === 1 ? `.${names[0]}` : names.join('.')
  }
  const { ParamRef: parameter, A_Const: constant } = node as Record<string, unknown>
  return parameter === undefined && constant === undefined ? `an expression ${JSON.stringify(node).length}` : value
}

/** A statement in a source file, with `${…}` where a value or a part of it is filled in. */
export interface SourceStatement {
  file: string
  line: number
  text: string
}

/** The statements that are written as sql`…` or given to `preparedStatement`. */
export function statementsInSource(file: string, source: string): SourceStatement[] {
  const found: SourceStatement[] = []
  for (const { index } of source.matchAll(
    /`\s*(?:select|insert into|update|delete from|with(?: recursive)? (?:\w+|\$\{[^`]*?\}) as)\s/g,
  )) {
    const text = templateAt(source, index)
    found.push({ file, line: source.slice(0, index).split('\n').length, text })
  }
  return found
}

function templateAt(source: string, start: number): string {
  return source.slice(start + 1, endOfTemplate(source, start))
}

/** Where the closing backtick is. */
function endOfTemplate(source: string, start: number): number {
  for (let at = start + 1; at < source.length; at += 1)
    if (source[at] === '\\') at += 1
    else if (source[at] === '`') return at
    else if (source.startsWith('${', at)) at = endOfHole(source, at)
  throw new Error('A template has no end')
}

/** Where the closing brace of `${…}` is. */
function endOfHole(source: string, start: number): number {
  let depth = 1
  for (let at = start + 2; at < source.length; at += 1) {
    const character = source[at] as string
    if (character === '{') depth += 1
    else if (character === '}') depth -= 1
    else if (character === '`') at = endOfTemplate(source, at)
    else if (character === "'" || character === '"') at = source.indexOf(character, at + 1)
    if (depth === 0) return at
  }
  throw new Error('A template has no end')
}

/**
 * Parses a statement whose `${…}` may stand for values, names, or parts: fills each with a parameter, else with a name, an assignment, or
 * nothing, until it parses. Null if it does not.
 */
export function filledIn(template: string): string | null {
  const parts = partsOf(template)
  const choices = parts
    .slice(1)
    .map<number>((_, place) => (/\b(from|join|into|update|only)\s*$/i.test(parts[place] as string) ? 1 : 0))
  for (let attempt = 0; attempt <= fillings.length * choices.length; attempt += 1) {
    const { text, ends } = fill(parts, choices)
    const at = errorIn(text)
    if (at === null) return text
    // The hole before the error did not stand for that.
    let hole = ends.findLastIndex((end) => end <= at + 1)
    while (hole >= 0 && (choices[hole] as number) >= fillings.length - 1) hole -= 1
    if (hole < 0) return null
    choices[hole] = (choices[hole] as number) + 1
  }
  return null
}

const fillings = ['$1', 'hole', 'hole = $1', ''] as const

function fill(parts: readonly string[], choices: readonly number[]): { text: string; ends: number[] } {
  let text = parts[0] as string
  const ends: number[] = []
  for (const [place, choice] of choices.entries()) {
    text += fillings[choice]
    ends.push(text.length)
    text += parts[place + 1]
  }
  return { text, ends }
}

function errorIn(text: string): number | null {
  try {
    parseSync(text)
    return null
  } catch (error) {
    return (error as { sqlDetails?: { cursorPosition: number } }).sqlDetails?.cursorPosition ?? text.length
  }
}

function partsOf(template: string): string[] {
  const parts: string[] = []
  let start = 0
  for (let at = 0; at < template.length; at += 1) {
    if (!template.startsWith('${', at)) continue
    parts.push(template.slice(start, at))
    at = endOfHole(template, at)
    start = at + 1
  }
  return [...parts, template.slice(start)]
}
