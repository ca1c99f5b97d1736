import { readFileSync } from 'node:fs'
import type { OpenapiDocument } from '../core/http/openapi-document.ts'
import { documentOf } from '../document.ts'
import { operations } from '../operations.ts'
import { type ContractCoverage, contractCoverageOf, documentDifferences } from './coverage.ts'
import { coveragePage } from './coverage-page.ts'
import { publicOperations } from './public-operations.ts'

export const coverageFile = new URL('../../../../docs/coverage.md', import.meta.url)
const documentFile = new URL('../../openapi.json', import.meta.url)

export interface ContractComparison {
  coverage: ContractCoverage
  /** The expected text of `docs/coverage.md`. */
  page: string
  isPageCurrent: boolean
  /** Where the committed `openapi.json` differs from the operations. */
  differences: string[]
}

/** Compares the committed files with the operations, and those with the public contract. */
export function compareContract(): ContractComparison {
  const coverage = contractCoverageOf(operations, publicOperations)
  const page = coveragePage(coverage)
  const committed = JSON.parse(readFileSync(documentFile, 'utf8')) as OpenapiDocument
  return {
    coverage,
    page,
    isPageCurrent: textOf(coverageFile) === page,
    differences: documentDifferences(committed, documentOf(operations)),
  }
}

/** The text of a file, or null if it does not exist yet. */
function textOf(file: URL): string | null {
  try {
    return readFileSync(file, 'utf8')
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'ENOENT') return null
    throw error
  }
}
