import { type Static, type TSchema, Type } from 'typebox'
import { Check } from 'typebox/value'

/** The version of the file format: docs/move-in/export-import.md#the-file. */
export const formatVersion = 1

/** The id of a project. */
export const projectId: RegExp = /^proj_\w{1,59}$/

/** The first line of a file. */
const ExportHeader = Type.Object({
  guerdon_export: Type.Integer(),
  release: Type.String(),
  /** The newest migration of the database, which names the columns of the rows. */
  migration: Type.String(),
  exported_at: Type.String(),
  /** The project with its settings. */
  project: Type.Object(
    { id: Type.String({ pattern: projectId.source }), name: Type.String() },
    { additionalProperties: true },
  ),
})
export type ExportHeader = Static<typeof ExportHeader>

/** The last line of a file. */
const ExportEnd = Type.Object({
  end: Type.Literal(true),
  rows: Type.Integer({ minimum: 0 }),
  tables: Type.Record(Type.String(), Type.Integer({ minimum: 0 })),
  /** Of all lines before, with their line feeds. */
  sha256: Type.String(),
})
export type ExportEnd = Static<typeof ExportEnd>

/** A line between them. Its row stays text: numbers beyond 2^53 would lose digits as JSON numbers of JavaScript. */
export interface RowLine {
  table: string
  row: string
}

export const rowLine = ({ table, row }: RowLine): string => `{"table":"${table}","row":${row}}\n`

const rowStart = /^\{"table":"([a-z_]{1,63})","row":(?=\{)/

/** A row, or null if the line is not one. */
export function readRowLine(line: string): RowLine | null {
  const match = rowStart.exec(line)
  if (match === null || !line.endsWith('}}')) return null
  return { table: match[1] as string, row: line.slice(match[0].length, -1) }
}

/** The header, or null if the line is not one. */
export const readHeader = (line: string): ExportHeader | null => readAs(ExportHeader, line)

/** The last line, or null if the line is another one. */
export const readEnd = (line: string): ExportEnd | null => readAs(ExportEnd, line)

function readAs<S extends TSchema>(schema: S, line: string): Static<S> | null {
  try {
    const content: unknown = JSON.parse(line)
    return Check(schema, content) ? content : null
  } catch {
    return null
  }
}
