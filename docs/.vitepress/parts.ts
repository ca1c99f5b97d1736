import type { DefaultTheme } from 'vitepress'
import { listsOf, page, pagesIn, sectionsOf } from './pages.ts'

const start = [page('start/five-minutes.md'), page('tutorial.md'), page('client.md')]

const concepts = pagesIn('concepts', [
  'redeemables.md',
  'orders.md',
  'money.md',
  'rules.md',
  'stacking.md',
  'limits.md',
  'sessions.md',
  'loyalty-books.md',
  'events.md',
])

const howTo = [page('how-to/README.md', 'All recipes'), ...listsOf('how-to')]

const reference = [
  page('reference/README.md', 'How to read it'),
  page('reference/operations.md'),
  page('coverage.md', 'Coverage'),
  ...sectionsOf('reference'),
]

const operate = [
  page('operate/README.md', 'Overview'),
  page('scaling.md'),
  ...pagesIn('operate', [
    'install.md',
    'keys.md',
    'containers.md',
    'systemd.md',
    'database.md',
    'nodes.md',
    'replicas.md',
    'failover.md',
    'proxies.md',
    'dashboard.md',
    'secure.md',
    'runbook.md',
    'upgrade.md',
    'roll-back.md',
    'backups.md',
    'sizing.md',
    'growth.md',
    'tuning.md',
    'monitoring.md',
  ]),
]

const moveIn = [page('move-in/README.md', 'Why and how'), ...pagesIn('move-in')]

const decide = [
  ...pagesIn('decide', ['compare.md', 'limits.md', 'licence.md', 'versioning.md']),
  page('performance.md', 'Benchmark'),
  page('project/security.md', 'Security'),
  page('project/changelog.md', 'Changelog'),
]

const architecture = [
  page('architecture.md'),
  page('glossary.md', 'Glossary of the code'),
  page('project/contributing.md', 'Contributing'),
  page('decisions/README.md'),
  ...pagesIn('decisions'),
]

/** The parts of the guides, in the order in which a new user needs them. */
const parts: Readonly<Record<string, DefaultTheme.SidebarItem[]>> = {
  Start: start,
  Concepts: concepts,
  'How to': howTo,
  Reference: reference,
  Operate: operate,
  'Move in': moveIn,
  Decide: decide,
  Architecture: architecture,
}

/**
 * A page shows the list of its part, found by the beginning of its path without an ending. The parts cannot be folded: the theme puts
 * a button into a button for that.
 */
export const sidebar: DefaultTheme.SidebarMulti = Object.fromEntries(
  Object.entries(parts).flatMap(([text, items]) => {
    const pages = items.filter(({ link }) => link !== undefined)
    const groups = items.filter(({ link }) => link === undefined)
    return items
      .flatMap((item) => item.items ?? item)
      .map(({ link = '' }) => [link.replace(/\.html$/, ''), [{ text, items: pages }, ...groups]])
  }),
)

/** The first page of each part. */
export const nav: DefaultTheme.NavItem[] = Object.entries(parts).map(([text, [first]]) => ({
  text,
  link: first?.link as string,
}))
