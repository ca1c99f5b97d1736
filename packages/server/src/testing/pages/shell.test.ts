import { expect, test } from 'vitest'
import { newFolder } from './folder.ts'
import { readOutput } from './output.ts'
import { startShell } from './shell.ts'

test('blocks share one shell, and a command that fails is a fault wherever it stands', async () => {
  const folder = newFolder()
  const shell = startShell(folder.path, { PATH: process.env.PATH ?? '' })
  try {
    expect(await shell.run('A=1; fail() { false; }')).toBe('')
    expect(await shell.run('echo $A')).toBe('1\n')
    expect(readOutput(await shell.run('false\necho on'), '')).toEqual({
      printed: 'on\n',
      faults: ['a command failed: false'],
    })
    expect(readOutput(await shell.run('echo last; false'), '').faults).toEqual(['a command failed: false'])
    expect(readOutput(await shell.run('fail'), '').faults).not.toEqual([])
    expect(readOutput(await shell.run('until true; do false; done; if false; then echo no; fi'), '').faults).toEqual([])
    await shell.end()
  } finally {
    shell.kill()
    folder.remove()
  }
})
