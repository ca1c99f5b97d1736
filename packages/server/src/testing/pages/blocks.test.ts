import { expect, test } from 'vitest'
import { codeBlocks, withCode } from './blocks.ts'

const page = [
  '# A page',
  '',
  '```sh',
  'echo one',
  '```',
  '',
  '- In a list:',
  '',
  '  ```ts',
  '  if (true) {',
  '    two()',
  '  }',
  '  ```',
  '',
  '<!-- not executed: starts the service -->',
  '```sh',
  'npm start',
  '```',
  '',
  '````md',
  '```sh',
  'echo a block inside of another',
  '```',
  '````',
].join('\n')

test('the blocks of a page have their language, line and code, without the indentation of a list', () => {
  expect(codeBlocks(page)).toEqual([
    { language: 'sh', code: 'echo one', line: 4, not_executed: null },
    { language: 'ts', code: 'if (true) {\n  two()\n}', line: 10, not_executed: null },
    { language: 'sh', code: 'npm start', line: 17, not_executed: 'starts the service' },
    { language: 'md', code: '```sh\necho a block inside of another\n```', line: 21, not_executed: null },
  ])
})

test('a mark holds for the block right below it, and the mark of a page for all', () => {
  const blocks = (text: string) => codeBlocks(text).map(({ not_executed }) => not_executed)
  expect(blocks('<!-- not executed: a -->\n\n```sh\n1\n```\n\n```sh\n2\n```')).toEqual(['a', null])
  expect(blocks('<!-- not executed: a -->\nA sentence.\n\n```sh\n1\n```')).toEqual([null])
  expect(blocks('<!-- page not executed: b -->\n\n```sh\n1\n```\n\n```sh\n2\n```')).toEqual(['b', 'b'])
})

test('the code of a block is replaced by more or fewer lines, indented as the block', () => {
  const [, inList] = codeBlocks(page)
  const written = withCode(page, inList as NonNullable<typeof inList>, 'one()\n\ntwo()')
  expect(written).toContain('  ```ts\n  one()\n\n  two()\n  ```\n')
  expect(codeBlocks(written).map(({ code }) => code)).toEqual([
    'echo one',
    'one()\n\ntwo()',
    'npm start',
    '```sh\necho a block inside of another\n```',
  ])
})
