import { pino } from 'pino'
import { expect, test } from 'vitest'
import { listEntries } from '../monitoring/audit-log/store.ts'
import { openAuditLog } from '../monitoring/audit-log/writer.ts'
import { connect } from '../runtime.ts'
import { newAuditEntry } from '../testing/audit-entry.ts'
import { newCommands } from '../testing/command.ts'
import { eraseAuditLog } from './audit-log.ts'
import { migrateCommand } from './migrate.ts'

test('a text is erased from bodies and URLs, however they encode it, and nothing else', async () => {
  const { outputOf, environment } = await newCommands()
  const projectId = /Project (proj_\w+)/.exec(await outputOf(migrateCommand))?.[1] as string
  const erase = (text: string, options: { project?: string } = {}) =>
    outputOf((given) => eraseAuditLog(given, text, options))
  const database = await connect(environment.settings)
  const auditLog = openAuditLog(database.db, pino({ level: 'silent' }))
  const bodies = [
    { request_body: '{"email":"ann@shop.test"}', response_body: '{"name":"Ann \\"A\\" Lee"}' },
    { request_body: null, response_body: '{"email":"bob@shop.test","of":"ann@shop.test"}' },
    { request_body: '{"email":"bob@shop.test"}', response_body: null },
  ]
  for (const [n, body] of bodies.entries())
    auditLog.record(newAuditEntry(projectId, Date.now() + n, { ...body, url: `/v1/customers/ann%40shop.test?n=${n}` }))
  await auditLog.flush()
  // As an earlier release wrote it.
  await database.execute(
    `update audit_log set bodies_id = null, bodies_from = null, request_bytes = null, request_body = 'of ann@shop.test' where url like '%n=2'`,
  )
  await database.close()

  expect(await erase('ann@shop.test')).toMatch(/^Overwrote the text in 4 rows of the audit log of .+ \(proj_\w+\)\.$/m)
  expect(await erase('Ann "A" Lee', { project: projectId })).toContain('in 1 row ')
  expect(await erase('ann@shop.test')).toContain('in 0 rows')
  await expect(erase('ann')).rejects.toThrow('A text of at least 4 characters can be erased.')
  await expect(erase('ann@shop.test', { project: 'proj_nowhere' })).rejects.toThrow('There is no project proj_nowhere.')

  const again = await connect(environment.settings)
  const { rows } = await listEntries({ db: again.db, project_id: projectId }, { from: '', before: 'log_g' }, 10)
  await again.close()
  expect(rows.map(({ url, request_body, response_body }) => ({ url, request_body, response_body })).reverse()).toEqual([
    {
      url: '/v1/customers/***?n=0',
      request_body: `{"email":"${'*'.repeat(13)}"}`,
      response_body: `{"name":"${'*'.repeat(13)}"}`,
    },
    {
      url: '/v1/customers/***?n=1',
      request_body: null,
      response_body: `{"email":"bob@shop.test","of":"${'*'.repeat(13)}"}`,
    },
    { url: '/v1/customers/***?n=2', request_body: 'of ***', response_body: null },
  ])
})
