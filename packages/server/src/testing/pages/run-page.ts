import { type CodeBlock, codeBlocks } from './blocks.ts'
import { newFolder } from './folder.ts'
import { startModule } from './module.ts'
import { isShown, readOutput } from './output.ts'
import type { Program } from './program.ts'
import { PageRequests } from './requests.ts'
import { startShell } from './shell.ts'
import type { ShopEnvironment } from './shop.ts'
import { runStatements, untilEventsAreListed } from './statements.ts'
import { withoutValues, withValues } from './values.ts'

/** What a page prints: the block that shows it, and what was printed. */
export interface Shown {
  block: CodeBlock
  printed: string
}

export interface PageRun {
  /** What went wrong, with the lines of the page. */
  faults: string[]
  /** Where something else was printed than the page shows. */
  differences: string[]
  shown: Shown[]
  executed: number
}

const executedLanguages = new Set(['sh', 'ts', 'js', 'http', 'sql'])

export const isExecuted = ({ language, not_executed }: CodeBlock): boolean =>
  executedLanguages.has(language) && not_executed === null

const isOfModule = ({ language }: CodeBlock): boolean => language === 'ts' || language === 'js'

/**
 * Executes the blocks of a page from top to bottom and compares what each prints with the `text` or `json` block under it: all of the
 * output of a command or program, a part of the answer to an `http` block.
 */
export async function runPage(markdown: string, environment: ShopEnvironment): Promise<PageRun> {
  const folder = newFolder()
  const env = { ...environment, HOME: folder.path, LANG: 'C.UTF-8', PATH: `${folder.commands}:${process.env.PATH}` }
  const blocks = codeBlocks(markdown).map((block) =>
    isExecuted(block) ? { ...block, code: withValues(block.code, environment) } : block,
  )
  const programs: { shell?: Program; module?: Program } = {}
  const requests = new PageRequests(environment)
  const shell = (): Program => {
    programs.shell ??= startShell(folder.path, env)
    return programs.shell
  }
  const module = (): Program => {
    const ofModule = blocks.filter((block) => isExecuted(block) && isOfModule(block))
    programs.module ??= startModule(folder.path, env, ofModule)
    return programs.module
  }
  const execute = (block: CodeBlock): Promise<string> => {
    if (block.language === 'http') return requests.run(block)
    if (block.language === 'sql') return runStatements(environment.DATABASE_URL, block.code)
    return isOfModule(block) ? module().run('') : shell().run(block.code)
  }
  const result: PageRun = { faults: [], differences: [], shown: [], executed: 0 }
  try {
    for (const [index, block] of blocks.entries()) {
      if (!isExecuted(block)) continue
      await untilEventsAreListed(environment.DATABASE_URL)
      const output = withoutValues(await execute(block), environment)
      const next = blocks[index + 1]
      const shows = next?.language === 'text' || next?.language === 'json' ? next : undefined
      const { printed, faults } = readOutput(output, shows?.code ?? '')
      result.executed += 1
      result.faults.push(...faults.map((fault) => `line ${block.line}: ${fault}:\n${printed}`))
      if (shows === undefined) continue
      const isAnswer = block.language === 'http'
      if (!isAnswer) result.shown.push({ block: shows, printed: printed.replaceAll(/ +$/gm, '').trimEnd() })
      if (!(isAnswer ? requests.isShown(shows.code, printed) : isShown(shows.code, printed, shows.language)))
        result.differences.push(`line ${shows.line}: the page shows\n${shows.code}\nbut this was printed:\n${printed}`)
    }
    await programs.shell?.end()
    await programs.module?.end()
  } catch (error) {
    result.faults.push((error as Error).message)
  } finally {
    programs.shell?.kill()
    programs.module?.kill()
    folder.remove()
  }
  return result
}
