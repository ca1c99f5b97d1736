const base = '/dashboard'

/**
 * Where a sign-in leads: the address in `?to=`, with or without the base, if it is a page of this dashboard; else the start. Anybody can
 * write a link with a `to`, so an address of another site, in whatever spelling, must not be followed.
 */
export function targetOf(to: string | undefined, origin: string): string {
  const start = `${base}/`
  if (to === undefined || !to.startsWith('/')) return start
  let url: URL
  try {
    // The browser's own reading: it drops tabs and line breaks, and takes `\` for `/`.
    url = new URL(to, origin)
  } catch {
    return start
  }
  if (url.origin !== origin) return start
  const path = url.pathname === base ? '/' : url.pathname.replace(/^\/dashboard\//, '/')
  if (/^\/(sign-in|password)?\/?$/.test(path) || path.startsWith('//')) return start
  return `${base}${path}${url.search}${url.hash}`
}
