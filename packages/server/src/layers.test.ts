import { posix } from 'node:path'
import { expect, test } from 'vitest'
import { sourceTexts } from './testing/sources.ts'

/** From the ground up: a file imports from its own module and from those before it in this list, types included. */
const modules = [
  'core',
  'account',
  'definitions',
  'audience',
  'catalogue',
  'orders',
  'rules',
  'incentives',
  'checkout',
  'loyalty',
  'redemptions',
  'trash-bin',
  'exports',
]

/** Folders that may import from every module. No module imports from them, nor from the files beside them (`wiring.ts`, `app.ts` …). */
const folders_above = ['platform', 'command-line', 'contract', 'client-library']

/** The imports that still point upwards. An import leaves this list when it is cut; none is added. */
const upward_imports_left = new Set([
  'account/projects/update.ts -> audience/segments/rewalk.ts',
  'audience/customers/erase-holdings.ts -> incentives/vouchers/remove.ts',
  'audience/customers/erase-holdings.ts -> incentives/vouchers/store.ts',
  'audience/customers/redeemables.ts -> incentives/vouchers/store.ts',
  'audience/customers/redeemables.ts -> incentives/vouchers/voucher.ts',
  'audience/customers/remove.ts -> redemptions/store.ts',
  'audience/customers/schema.ts -> incentives/vouchers/schema.ts',
  'audience/segments/check.ts -> loyalty/points/cause.ts',
  'audience/segments/check.ts -> loyalty/points/follow.ts',
  'audience/segments/check.ts -> loyalty/points/programs.ts',
  'audience/segments/remove.ts -> loyalty/earning-rules/naming.ts',
  'audience/segments/remove.ts -> loyalty/referrals/tier-store.ts',
  'audience/segments/remove.ts -> rules/validation-rules/naming.ts',
  'catalogue/product-collections/remove.ts -> rules/validation-rules/naming.ts',
  'catalogue/products/in-use.ts -> loyalty/earning-rules/naming.ts',
  'catalogue/products/in-use.ts -> rules/terms/naming.ts',
  'catalogue/products/in-use.ts -> rules/validation-rules/naming.ts',
  'checkout/decision/changes.ts -> redemptions/redemption.ts',
  'definitions/custom-event-schemas/remove.ts -> loyalty/earning-rules/naming.ts',
  'definitions/locations/remove.ts -> catalogue/product-collections/naming.ts',
  'definitions/locations/update.ts -> audience/segments/rewalk.ts',
  'definitions/metadata-schemas/write.ts -> audience/segments/rewalk.ts',
  'incentives/campaigns/remove.ts -> loyalty/points/leave.ts',
  'incentives/campaigns/remove.ts -> loyalty/programs/erase.ts',
  'incentives/campaigns/remove.ts -> loyalty/referrals/tier-store.ts',
  'incentives/campaigns/remove.ts -> loyalty/reward-assignments/remove.ts',
  'incentives/campaigns/remove.ts -> redemptions/store.ts',
  'incentives/campaigns/routes.ts -> exports/create.ts',
  'incentives/campaigns/routes.ts -> exports/schema.ts',
  'incentives/campaigns/update.ts -> loyalty/points/review.ts',
  'incentives/promotions/remove-tier.ts -> redemptions/store.ts',
  'incentives/publications/publish.ts -> loyalty/points/card.ts',
  'incentives/publications/publish.ts -> loyalty/points/follow.ts',
  'incentives/vouchers/adjust-balance.ts -> loyalty/points/adjust.ts',
  'incentives/vouchers/entry-changes.ts -> checkout/decision/changes.ts',
  'incentives/vouchers/remove.ts -> loyalty/points/leave.ts',
  'incentives/vouchers/remove.ts -> redemptions/store.ts',
  'incentives/vouchers/routes.ts -> exports/create.ts',
  'incentives/vouchers/routes.ts -> exports/schema.ts',
  'loyalty/members/routes.ts -> exports/schema.ts',
  'loyalty/members/schema.ts -> exports/schema.ts',
  'loyalty/members/transactions.ts -> exports/create.ts',
  'loyalty/members/transactions.ts -> exports/schema.ts',
  'loyalty/points/cascade.ts -> redemptions/redeem-automatically.ts',
  'loyalty/points/routes.ts -> redemptions/redeem-errors.ts',
  'loyalty/points/routes.ts -> redemptions/redeem-schema.ts',
  'loyalty/points/routes.ts -> redemptions/redeem.ts',
  'loyalty/referrals/convert.ts -> redemptions/redeemed-part.ts',
  'loyalty/referrals/convert.ts -> redemptions/tell.ts',
  'loyalty/referrals/undo-conversion.ts -> redemptions/rollback-load.ts',
  'orders/effects.ts -> loyalty/points/follow.ts',
  'orders/routes.ts -> exports/create.ts',
  'orders/routes.ts -> exports/schema.ts',
  'orders/schema.ts -> exports/schema.ts',
  'rules/validation-rules/related-objects.ts -> incentives/campaigns/campaign.ts',
  'rules/validation-rules/related-objects.ts -> incentives/campaigns/store.ts',
  'rules/validation-rules/related-objects.ts -> incentives/promotions/tier-store.ts',
  'rules/validation-rules/related-objects.ts -> incentives/promotions/tier.ts',
  'rules/validation-rules/related-objects.ts -> incentives/vouchers/store.ts',
  'rules/validation-rules/related-objects.ts -> incentives/vouchers/voucher.ts',
  'rules/validation-rules/related-objects.ts -> loyalty/earning-rules/earning-rule.ts',
  'rules/validation-rules/related-objects.ts -> loyalty/earning-rules/store.ts',
  'rules/validation-rules/related-objects.ts -> loyalty/reward-assignments/store.ts',
])

const root = 'server/src/'
const imports = importsOf(sourceTexts())

test('every folder is a module with a place in the order, or stands above all modules', () => {
  const folders = new Set(serverFiles().flatMap((path) => (path.includes('/') ? [folderOf(path)] : [])))
  expect([...folders].sort()).toEqual([...modules, ...folders_above].sort())
})

test('a module imports from itself and from the modules before it', () => {
  const upward = new Set(serverFiles().flatMap(upwardImportsOf))
  expect([...upward].filter((found) => !upward_imports_left.has(found))).toEqual([])
  expect([...upward_imports_left].filter((listed) => !upward.has(listed))).toEqual([])
})

test('no file imports itself, directly or through other files', () => {
  // An upward import that is left may close a circle; the circle opens when the import is cut.
  const isLeft = (from: string, to: string) => upward_imports_left.has(`${withoutRoot(from)} -> ${withoutRoot(to)}`)
  const counted = [...imports].map(
    ([from, all]) => [from, new Set([...all].filter((to) => !isLeft(from, to)))] as const,
  )
  expect(circles(new Map(counted))).toEqual([])
})

function serverFiles(): string[] {
  return [...imports.keys()].filter((path) => path.startsWith(root)).map(withoutRoot)
}

function withoutRoot(path: string): string {
  return path.startsWith(root) ? path.slice(root.length) : path
}

function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.indexOf('/')))
}

function upwardImportsOf(path: string): string[] {
  const own_place = modules.indexOf(folderOf(path))
  if (own_place < 0) return []
  return [...(imports.get(`${root}${path}`) ?? [])].flatMap((full) => {
    const target = withoutRoot(full)
    const place = modules.indexOf(folderOf(target))
    return place < 0 || place > own_place ? [`${path} -> ${target}`] : []
  })
}

/** The files that each file names in `import`, `import type`, `export … from` and `import(…)`; packages are left out. */
function importsOf(texts: ReadonlyMap<string, string>): Map<string, Set<string>> {
  const statement =
    /^(?:import|export)\s+(?:type\s+)?(?:[\w$,*\s]|\{[^}]*\})*\s*from\s+'(\.[^']+)'|^import\s+'(\.[^']+)'|\bimport\('(\.[^']+)'\)/gm
  return new Map(
    [...texts].map(([path, text]) => {
      const named = [...text.matchAll(statement)].map(([, from, alone, called]) => from ?? alone ?? called ?? '')
      return [path, new Set(named.map((file) => posix.join(posix.dirname(path), file)))]
    }),
  )
}

/** Groups of files of which each reaches every other one by imports (Tarjan's strongly connected components). */
function circles(graph: ReadonlyMap<string, ReadonlySet<string>>): string[][] {
  const found: string[][] = []
  const places = new Map<string, number>()
  const stack: string[] = []

  function visit(file: string): number {
    let low = places.size
    places.set(file, low)
    stack.push(file)
    const next = graph.get(file) ?? new Set()
    for (const other of next) {
      if (!places.has(other)) low = Math.min(low, visit(other))
      else if (stack.includes(other)) low = Math.min(low, places.get(other) as number)
    }
    if (low === places.get(file)) {
      const group = stack.splice(stack.indexOf(file))
      if (group.length > 1 || next.has(file)) found.push(group.sort())
    }
    return low
  }

  for (const file of graph.keys()) if (!places.has(file)) visit(file)
  return found
}
