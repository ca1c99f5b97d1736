import { ApiFailure, call } from '../api/client.ts'

/**
 * Loads the code of a page. The router takes a file that cannot be loaded for one that a newer version replaced, and loads the whole
 * address again: while the service cannot be reached, that would leave an error page of the browser. Then the failure is thrown as
 * that of a call, which the page shows with a way to try again.
 */
export const loading =
  <Module>(load: () => Promise<Module>) =>
  (): Promise<Module> =>
    load().catch(async (error: unknown) => {
      const failure = await call('GET /auth/session', {}).catch((refusal: unknown) => refusal)
      throw failure instanceof ApiFailure && failure.status === 0 ? failure : error
    })
