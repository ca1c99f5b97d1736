/** Fills a reference to a schema with the properties of its page when it is first opened. */
export function watchReferences(root) {
  for (const details of root.querySelectorAll('details[data-page]'))
    details.addEventListener('toggle', () => fill(details), { once: true })
}

async function fill(details) {
  const address = new URL(details.dataset.page, document.baseURI)
  const reply = await fetch(address)
  if (!reply.ok) return // the link stays
  const page = new DOMParser().parseFromString(await reply.text(), 'text/html')
  const schema = page.getElementById('schema-tree')
  // The ids are those of its own page, where its links lead.
  for (const link of schema.querySelectorAll('a[href]'))
    link.setAttribute('href', new URL(link.getAttribute('href'), address).href)
  for (const element of [schema, ...schema.querySelectorAll('[id]')]) element.removeAttribute('id')
  details.append(document.adoptNode(schema))
  watchReferences(schema)
}

/** Opens what surrounds the target of the address, and shows it. */
export function openTarget() {
  const target = document.getElementById(decoded(location.hash.slice(1)))
  if (target === null) return
  for (let part = target; part !== null; part = part.parentElement) if (part.tagName === 'DETAILS') part.open = true
  target.scrollIntoView()
}

/** Anybody may write an address that is not encoded well. */
function decoded(text) {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}
