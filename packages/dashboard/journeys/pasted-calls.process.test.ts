import { execFile } from 'node:child_process'
import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../../server/src/testing/pages/folder.ts'
import { keysFileIn, startGuerdon } from '../../server/src/testing/process.ts'
import { curlOf, programOf } from '../src/api/code.ts'
import { firstCall } from '../src/pages/settings/key-words.ts'

// What people copy from the first start and from the dashboard, pasted into a terminal and into a file.
// packages/server/src/pages.process.test.ts does it with the documentation.

const execute = promisify(execFile)

/** Runs what is pasted in a folder where the packages are installed. */
function paste(env: Record<string, string>) {
  const folder = newFolder()
  onTestFinished(() => folder.remove())
  const options = { cwd: folder.path, env: { ...env, PATH: `${folder.commands}:${process.env.PATH}` } }
  return {
    intoShell: async (text: string): Promise<unknown> =>
      JSON.parse((await execute('bash', ['-c', text], options)).stdout),
    intoFile: async (text: string, name: string): Promise<string> => {
      writeFileSync(join(folder.path, name), text)
      const flags = ['--conditions=source', '--disable-warning=ExperimentalWarning']
      return (await execute(process.execPath, [...flags, name], options)).stdout
    },
  }
}

test.each(['strict', 'either'])('calls that are shown to be pasted work with AUTH_MODE=%s', async (authMode) => {
  const server = await startGuerdon({ AUTH_MODE: authMode })
  const { address } = server
  const keys = readFileSync(keysFileIn(server.output()), 'utf8')
  const [project = '', id = '', secret = '', managementId = '', managementSecret = ''] = [
    ...['Project', 'X-App-Id:', 'X-App-Token:', 'X-Management-Id:', 'X-Management-Token:'],
  ].map((name) => new RegExp(`${name} +(\\S+)`).exec(keys)?.[1])
  const { intoShell, intoFile } = paste({
    APP_ID: id,
    APP_TOKEN: secret,
    MANAGEMENT_ID: managementId,
    MANAGEMENT_TOKEN: managementSecret,
  })

  // The first start
  const [, call = '', suffix = '', program = ''] =
    /Try it:\n\n(.*?)\nWith [^\n]*ends with (\.\w+):\n\n(.*?)\n\n/s.exec(server.output().replaceAll('…', secret)) ?? []
  expect(await intoShell(call)).toMatchObject({ name: 'Summer sale' })
  expect(await intoFile(program, `first${suffix}`)).toMatch(/code: 'HELLO'/)

  // "Copy as code", and the first step of an empty project
  const code = 'WELCOME10'
  const voucher = { type: 'DISCOUNT_VOUCHER', discount: { type: 'PERCENT', percent_off: 10 } } as const
  const create = curlOf(address, 'POST /v1/vouchers/{code}', { path: { code }, body: voucher })
  expect(await intoShell(create)).toMatchObject({ code })
  const manage = curlOf(address, 'GET /management/v1/projects/{projectId}', { path: { projectId: project } })
  expect(await intoShell(manage)).toMatchObject({ id: project })
  expect(await intoFile(programOf(address, 'getVoucher', { path: { code } }), 'get.mjs')).toMatch(`code: '${code}'`)
  expect(await intoFile(programOf(address, 'listVouchers', { query: { limit: 1 } }), 'list.mjs')).toMatch(/total: 2/)

  // The call beside a new key
  const key = { kind: 'server', app_id: id, secret } as const
  expect(await intoShell(firstCall(address, key))).toMatchObject({ data_ref: 'campaigns' })
})
