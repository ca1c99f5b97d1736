import { expect, test } from 'vitest'
import { newFolder } from './folder.ts'
import { readOutput } from './output.ts'
import { startProgram } from './program.ts'
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
    expect(await shell.run("printf '\\xe2\\x80'; sleep 0.3; printf '\\xa6'")).toBe('…') // in two pieces
    await shell.end()
  } finally {
    shell.kill()
    folder.remove()
  }
})

test('a program that cannot be started is an error, not a wait', async () => {
  const program = startProgram('no-such-program', [], { cwd: '/', env: {} })
  await expect(program.run('')).rejects.toThrow('no-such-program')
  await expect(program.end()).rejects.toThrow('no-such-program')
})
