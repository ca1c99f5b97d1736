import { type Call, type CallOptions, type Connection, call } from './call.ts'
import { each } from './each.ts'
import { type Operation, readTree, takesBody, takesForm, takesQuery } from './operation.ts'
import type { Result } from './result.ts'

/** What a generated operation says of itself. */
interface OperationTypes {
  path: unknown
  query: unknown
  body: unknown
  reply: unknown
}

type PathArgument<Of extends OperationTypes> = undefined extends Of['path'] ? [] : [path: Of['path']]

/** The body if the operation has one, otherwise its query. */
type InputArgument<Of extends OperationTypes> = [Of['body']] extends [undefined]
  ? [Of['query']] extends [undefined]
    ? []
    : Record<never, never> extends Of['query']
      ? [query?: Of['query']]
      : [query: Of['query']]
  : undefined extends Of['body']
    ? [body?: Of['body']]
    : [body: Of['body']]

/** The query of an operation that has a body too is an option. */
type Options<Of extends OperationTypes> = [Of['body']] extends [undefined]
  ? CallOptions
  : [Of['query']] extends [undefined]
    ? CallOptions
    : CallOptions & (Record<never, never> extends Of['query'] ? { query?: Of['query'] } : { query: Of['query'] })

type OptionsArgument<Of extends OperationTypes> =
  Record<never, never> extends Options<Of> ? [options?: Options<Of>] : [options: Options<Of>]

/** `(path, body or query, options)`, without those that the operation does not have. */
type ArgumentsOf<Of extends OperationTypes> = [
  ...PathArgument<Of>,
  ...(OptionsArgument<Of> extends [options: unknown] ? Required<InputArgument<Of>> : InputArgument<Of>),
  ...OptionsArgument<Of>,
]

/** How an operation is called. A list has `each`, which goes on to the rows of further pages. */
export type Method<Of extends OperationTypes> = ((...args: ArgumentsOf<Of>) => Promise<Result<Of['reply']>>) &
  (Of extends { row: infer Row }
    ? { each: (...args: ArgumentsOf<Of>) => AsyncGenerator<Row, void, undefined> }
    : unknown)

/** A method for each operation, named by its id. */
export type Methods<Operations> = {
  [Id in keyof Operations]: Operations[Id] extends OperationTypes ? Method<Operations[Id]> : never
}

/** The methods of the operations of a tree. */
export function methodsOf<Operations>(tree: string, connection: Connection): Methods<Operations> {
  const methods = readTree(tree).map(([id, operation]) => [
    id,
    Object.assign((...args: unknown[]) => call(connection, operation, readArguments(operation, args)), {
      each: (...args: unknown[]) => each(connection, operation, readArguments(operation, args)),
    }),
  ])
  return Object.fromEntries(methods)
}

const takesInput = new RegExp(`[${takesQuery}${takesBody}${takesForm}]`)

function readArguments({ path, traits }: Operation, args: unknown[]): Call {
  return {
    path: path.includes('{') ? (args.shift() as object) : undefined,
    input: takesInput.test(traits) ? args.shift() : undefined,
    options: args[0] ?? {},
  }
}
