const shownMax = 30
const kinds = { o: 'Operation', p: 'Property', s: 'Schema', h: 'Header', e: 'Error key' }
/** Operations before error keys and headers before schemas before properties, if they match as well. */
const weights = { o: 4, e: 3, h: 3, s: 2, p: 0 }
/** What a question has besides the words that it is about. */
const fillWords = new Set('a an and by do does for how i in is my of on or the to what when with'.split(' '))
/** Words that people use for the same thing. */
const sameWords = new Map([
  ...['code', 'codes'].map((word) => [word, ['voucher']]),
  ...['voucher', 'vouchers'].map((word) => [word, ['code']]),
  ...['coupon', 'coupons'].map((word) => [word, ['voucher', 'code']]),
  ...['undo', 'revert', 'cancel'].map((word) => [word, ['roll back']]),
])

/** Searches operations, properties, headers and error keys in an index that is loaded with the first use. */
export function startSearch() {
  const box = document.querySelector('search')
  const input = document.getElementById('search-text')
  const list = document.getElementById('found-list')
  const count = document.getElementById('found-count')
  let loading
  const load = () => {
    loading ??= fetch('search.json')
      .then((reply) => (reply.ok ? reply.json() : Promise.reject(new Error(`answered with ${reply.status}`))))
      .then((entries) => entries.map(prepared))
      .catch(() => {
        loading = undefined // the next letter asks again
        return null
      })
    return loading
  }

  async function update() {
    const text = input.value
    const entries = await load()
    if (input.value !== text) return // typed meanwhile
    if (entries === null) {
      list.hidden = true
      count.textContent = 'Search is not available now'
      return
    }
    const found = text.trim() === '' ? [] : find(entries, text)
    const isEmpty = text.trim() === ''
    list.replaceChildren(...(found.length > 0 ? found.slice(0, shownMax).map(itemOf) : [nothingFound(text)]))
    list.hidden = isEmpty
    count.textContent = isEmpty ? '' : found.length === 1 ? '1 result' : `${found.length} results`
  }

  function close() {
    input.value = ''
    list.hidden = true
    count.textContent = ''
  }

  input.addEventListener('focus', load, { once: true })
  input.addEventListener('input', update)
  list.addEventListener('click', close)
  box.addEventListener('keydown', (event) => {
    const links = [...list.querySelectorAll('a')]
    const at = links.indexOf(document.activeElement)
    if (event.key === 'ArrowDown') links[at + 1]?.focus()
    else if (event.key === 'ArrowUp') (links[at - 1] ?? input).focus()
    else if (event.key === 'Enter' && at < 0) list.querySelector('a:not(.elsewhere)')?.click()
    else if (event.key === 'Escape') {
      close()
      input.focus()
    } else return
    event.preventDefault()
  })
  document.addEventListener('keydown', (event) => {
    if (event.key !== '/' || event.ctrlKey || event.metaKey || event.target.closest?.('input, textarea')) return
    event.preventDefault()
    input.focus()
  })
  box.hidden = false
}

function prepared(entry) {
  return { ...entry, title: entry.t.toLowerCase(), rest: `${entry.w} ${entry.d}`.toLowerCase() }
}

/** The entries that contain every word, best first. */
function find(entries, text) {
  const all = text.toLowerCase().split(/\s+/).filter(Boolean)
  const whole = all.join(' ')
  const telling = all.filter((word) => !fillWords.has(word))
  const words = (telling.length > 0 ? telling : all).slice(0, 8)
  const found = []
  for (const entry of entries) {
    let score = weights[entry.k] + (entry.title === whole ? 40 : 0)
    let isNamed = true
    for (const word of words) {
      const others = sameWords.get(word) ?? []
      // The word itself before another one for the same.
      const part = Math.max(scoreOf(entry, word), ...others.map((other) => scoreOf(entry, other) - 1))
      if (part <= 0) {
        score = 0
        break
      }
      score += part
      isNamed &&= part > 2
    }
    // What can be done before the property of the same name: who looks for "redeem" wants to redeem.
    if (score > 0 && entry.k === 'o' && isNamed) score += 60
    if (score > 0) found.push({ entry, score: score - entry.title.length / 100 })
  }
  return found.sort((one, other) => other.score - one.score).map(({ entry }) => entry)
}

function scoreOf({ title, rest }, word) {
  const at = title.indexOf(word)
  if (at === 0) return 12
  if (at > 0) return /[\s_.-]/.test(title[at - 1]) ? 10 : 6
  return rest.includes(word) ? 2 : 0
}

function itemOf({ k, t, w, u, d }) {
  const link = document.createElement('a')
  link.href = u
  const title = document.createElement('b')
  title.textContent = t
  const place = document.createElement('span')
  place.textContent = `${kinds[k]}: ${w}`
  const words = document.createElement('small')
  words.textContent = d.length > 140 ? `${d.slice(0, 140)}…` : d
  link.append(title, ' ', place, words)
  const item = document.createElement('li')
  item.append(link)
  return item
}

/** The guides, where they are served, have a search of their own over words that no operation has. */
function nothingFound(text) {
  const item = document.createElement('li')
  const words = document.createElement('p')
  words.className = 'nothing'
  words.textContent = `Nothing here is called “${text.trim()}”.`
  item.append(words)
  for (const [selector, name] of [
    ['header .guides', 'Search the guides: concepts, recipes, operation'],
    ['nav a[href="errors"]', 'All error keys'],
  ]) {
    const place = document.querySelector(selector)
    if (place === null) continue
    const link = document.createElement('a')
    link.className = 'elsewhere'
    link.href = place.getAttribute('href')
    link.textContent = name
    item.append(link)
  }
  return item
}
