import {
  createRootRouteWithContext,
  createRoute,
  createRouter,
  lazyRouteComponent,
  notFound,
  Outlet,
  redirect,
  rootRouteId,
} from '@tanstack/react-router'
import { ApiFailure } from '../api/client.ts'
import { queryClient, whenSessionEnds } from '../api/queries.ts'
import { type Session, sessionQuery } from '../api/session.ts'
import { targetOf } from '../pages/sign-in/target.ts'
import { Frame } from './frame.tsx'
import { lastProject, rememberProject } from './last-project.ts'
import { loading } from './load-page.ts'
import { NotFound, PageFailure } from './page-failure.tsx'

const root = createRootRouteWithContext<Record<never, never>>()({ component: Outlet, notFoundComponent: NotFound })

/** The filters of a list live in the address, as text: a page that can be shared, and that the back button brings back. */
function texts<Name extends string>(...names: Name[]) {
  return (search: Record<string, unknown>): { [name in Name]?: string } => {
    const known: { [name in Name]?: string } = {}
    for (const name of names) {
      const value = search[name]
      if (value !== undefined && value !== '') known[name] = String(value)
    }
    return known
  }
}

async function signedIn(to: string): Promise<Session> {
  try {
    return await queryClient.ensureQueryData(sessionQuery)
  } catch (error) {
    if (error instanceof ApiFailure && error.status === 401) throw redirect({ to: '/sign-in', search: { to } })
    throw error
  }
}

/** Somebody who is signed in and follows an old link to the sign-in page goes on at once. */
async function passSignedIn({ to, error }: { to?: string; error?: string }): Promise<void> {
  // Whoever was just led here from a page of a project has no session.
  if (error !== undefined || queryClient.getQueryState(sessionQuery.queryKey)?.status === 'error') return
  const session = await queryClient.ensureQueryData(sessionQuery).catch(() => null)
  if (session !== null) throw redirect({ href: targetOf(to, window.location.origin), replace: true })
}

const start = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: async ({ location }) => {
    const { projects } = await signedIn(location.href)
    const project = projects.find(({ id }) => id === lastProject()) ?? projects[0]
    if (project) throw redirect({ to: '/$project', params: { project: project.id } })
  },
  component: lazyRouteComponent(
    loading(() => import('../pages/sign-in/no-project-page.tsx')),
    'NoProjectPage',
  ),
})

// Not written in place: beside a `beforeLoad` that reads it, its type would not be inferred.
const signInSearch = texts('to', 'error')

const signIn = createRoute({
  getParentRoute: () => root,
  path: '/sign-in',
  validateSearch: signInSearch,
  beforeLoad: ({ search }) => passSignedIn(search),
  component: lazyRouteComponent(
    loading(() => import('../pages/sign-in/sign-in-page.tsx')),
    'SignInPage',
  ),
})

const password = createRoute({
  getParentRoute: () => root,
  path: '/password',
  component: lazyRouteComponent(
    loading(() => import('../pages/sign-in/password-page.tsx')),
    'PasswordPage',
  ),
})

const project = createRoute({
  getParentRoute: () => root,
  path: '/$project',
  beforeLoad: async ({ params, location }) => {
    const session = await signedIn(location.href)
    const found = session.projects.find(({ id }) => id === params.project)
    if (found === undefined) throw notFound({ routeId: rootRouteId, data: 'project' })
    rememberProject(found.id)
    return { session, project: found }
  },
  component: Frame,
  // Inside of the frame, so that one can go on from there.
  notFoundComponent: NotFound,
})

const overview = createRoute({
  getParentRoute: () => project,
  path: '/',
  validateSearch: texts('range', 'from', 'to', 'figure'),
  component: lazyRouteComponent(
    loading(() => import('../pages/overview/overview-page.tsx')),
    'OverviewPage',
  ),
})

const simulator = createRoute({
  getParentRoute: () => project,
  path: '/simulator',
  // `cart` is the whole simulation, so that an address can be sent to a colleague; the others fill it from an object.
  validateSearch: texts('cart', 'code', 'campaign', 'tier', 'order', 'customer'),
  component: lazyRouteComponent(
    loading(() => import('../pages/simulator/simulator-page.tsx')),
    'SimulatorPage',
  ),
})

const codes = createRoute({
  getParentRoute: () => project,
  path: '/codes',
  validateSearch: texts('q', 'campaign', 'holder', 'type', 'state', 'meta'),
  component: lazyRouteComponent(
    loading(() => import('../pages/codes/codes-page.tsx')),
    'CodesPage',
  ),
})

const code = createRoute({
  getParentRoute: () => project,
  path: '/codes/$code',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(
    loading(() => import('../pages/codes/code-page.tsx')),
    'CodePage',
  ),
})

const customers = createRoute({
  getParentRoute: () => project,
  path: '/customers',
  validateSearch: texts('q', 'segment', 'city', 'meta'),
  component: lazyRouteComponent(
    loading(() => import('../pages/customers/customers-page.tsx')),
    'CustomersPage',
  ),
})

const customer = createRoute({
  getParentRoute: () => project,
  path: '/customers/$customer',
  validateSearch: texts('tab'),
  component: lazyRouteComponent(
    loading(() => import('../pages/customers/customer-page.tsx')),
    'CustomerPage',
  ),
})

const redemptions = createRoute({
  getParentRoute: () => project,
  path: '/redemptions',
  validateSearch: texts('result', 'campaign', 'code', 'customer', 'from', 'to', 'reason'),
  component: lazyRouteComponent(
    loading(() => import('../pages/redemptions/redemptions-page.tsx')),
    'RedemptionsPage',
  ),
})

const redemption = createRoute({
  getParentRoute: () => project,
  path: '/redemptions/$redemption',
  component: lazyRouteComponent(
    loading(() => import('../pages/redemptions/redemption-page.tsx')),
    'RedemptionPage',
  ),
})

const data = createRoute({
  getParentRoute: () => project,
  path: '/data',
  validateSearch: texts('tab', 'new', 'kind'),
  component: lazyRouteComponent(
    loading(() => import('../pages/data/data-page.tsx')),
    'DataPage',
  ),
})

const action = createRoute({
  getParentRoute: () => project,
  path: '/data/$action',
  component: lazyRouteComponent(
    loading(() => import('../pages/data/action-page.tsx')),
    'ActionPage',
  ),
})

const settings = createRoute({
  getParentRoute: () => project,
  path: '/settings',
  component: lazyRouteComponent(
    loading(() => import('../pages/settings/settings-frame.tsx')),
    'SettingsFrame',
  ),
})

const settingsStart = createRoute({
  getParentRoute: () => settings,
  path: '/',
  beforeLoad: ({ params }) => {
    throw redirect({ to: '/$project/settings/account', params })
  },
})

const account = createRoute({
  getParentRoute: () => settings,
  path: '/account',
  component: lazyRouteComponent(
    loading(() => import('../pages/settings/account-page.tsx')),
    'AccountPage',
  ),
})

const users = createRoute({
  getParentRoute: () => settings,
  path: '/users',
  validateSearch: texts('page'),
  component: lazyRouteComponent(
    loading(() => import('../pages/settings/users-page.tsx')),
    'UsersPage',
  ),
})

const keys = createRoute({
  getParentRoute: () => settings,
  path: '/keys',
  component: lazyRouteComponent(
    loading(() => import('../pages/settings/keys-page.tsx')),
    'KeysPage',
  ),
})

const projectSettings = createRoute({
  getParentRoute: () => settings,
  path: '/project',
  component: lazyRouteComponent(
    loading(() => import('../pages/settings/project-page.tsx')),
    'ProjectPage',
  ),
})

export const router = createRouter({
  basepath: '/dashboard',
  routeTree: root.addChildren([
    start,
    signIn,
    password,
    project.addChildren([
      overview,
      simulator,
      codes,
      code,
      customers,
      customer,
      redemptions,
      redemption,
      data,
      action,
      settings.addChildren([settingsStart, account, users, keys, projectSettings]),
    ]),
  ]),
  context: {},
  // All of it is text: without this, a page number or a code of digits would be written as JSON, in quotes.
  parseSearch: (search) => Object.fromEntries(new URLSearchParams(search)),
  stringifySearch: (search) => {
    const entries = Object.entries(search).filter(([, value]) => value !== undefined && value !== '')
    const text = new URLSearchParams(entries.map(([name, value]) => [name, String(value)])).toString()
    return text === '' ? '' : `?${text}`
  },
  defaultPreload: 'intent',
  defaultErrorComponent: PageFailure,
  scrollRestoration: true,
})

/** A session that ended while somebody worked: the sign-in page, and from there back to where they were. */
whenSessionEnds(() => {
  queryClient.removeQueries({ queryKey: sessionQuery.queryKey })
  const { pathname, href } = router.state.location
  if (pathname === '/sign-in' || pathname === '/password') return
  void router.navigate({ to: '/sign-in', search: { to: href, error: 'not_signed_in' } })
})

declare module '@tanstack/react-router' {
  interface Register {
    router: typeof router
  }
}
