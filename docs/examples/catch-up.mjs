// Prints the events since the last run: GUERDON_URL=… PROJECT_ID=… MANAGEMENT_ID=… MANAGEMENT_TOKEN=… node catch-up.mjs
import { existsSync, readFileSync, writeFileSync } from 'node:fs'

const { GUERDON_URL, PROJECT_ID, MANAGEMENT_ID, MANAGEMENT_TOKEN, CURSOR_FILE = 'cursor.txt' } = process.env
const headers = { 'X-Management-Id': MANAGEMENT_ID, 'X-Management-Token': MANAGEMENT_TOKEN }

for (let hasMore = true; hasMore; ) {
  const query = new URLSearchParams({ limit: '100' })
  if (existsSync(CURSOR_FILE)) query.set('cursor', readFileSync(CURSOR_FILE, 'utf8'))
  const response = await fetch(`${GUERDON_URL}/management/v1/projects/${PROJECT_ID}/events?${query}`, { headers })
  if (!response.ok) throw new Error(await response.text())
  const page = await response.json()
  for (const { id, type, entity_id } of page.data) console.log(id, type, entity_id)
  writeFileSync(CURSOR_FILE, page.cursor) // after the work: a crash repeats a page, which the event ids show
  hasMore = page.has_more
}
