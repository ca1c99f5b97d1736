// A browser may forbid pages to store anything: then a choice lasts as long as the page.
export function stored(key) {
  try {
    return localStorage.getItem(key)
  } catch {
    return null
  }
}

export function store(key, value) {
  try {
    localStorage.setItem(key, value)
  } catch {}
}
