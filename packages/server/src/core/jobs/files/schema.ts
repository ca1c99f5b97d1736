import { type Static, Type } from 'typebox'
import { Binary } from '../../http/multipart.ts'

/** The body of every CSV import (docs/reference/http.md#bodies-queries-and-paths). */
export const CsvFile = Type.Object({
  file: Binary({
    description: 'CSV in UTF-8 with a header row, as RFC 4180 has it.',
    examples: ['source_id,name\nmug-1,Mug\n'],
  }),
})
export type CsvFile = Static<typeof CsvFile>
