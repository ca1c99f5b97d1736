import { store, stored } from './stored.js'

const storageKey = 'guerdon-docs-language'

/** Makes tabs of the samples: the language that is chosen once is shown everywhere. */
export function makeTabs() {
  for (const [index, samples] of document.querySelectorAll('.samples').entries()) {
    const bar = document.createElement('div')
    bar.setAttribute('role', 'tablist')
    bar.setAttribute('aria-label', 'Language')
    const panels = [...samples.children].map((details, place) => panelOf(details, `${index}-${place}`))
    bar.append(...panels.map(({ tab }) => tab))
    bar.addEventListener('keydown', (event) => moveFocus(event, bar))
    samples.replaceChildren(bar, ...panels.map(({ panel }) => panel))
  }
  show(stored(storageKey) ?? 'curl')
}

function panelOf(details, id) {
  const { language } = details.dataset
  const tab = document.createElement('button')
  Object.assign(tab, { type: 'button', id: `tab-${id}`, textContent: details.querySelector('summary').textContent })
  tab.setAttribute('role', 'tab')
  tab.setAttribute('aria-controls', `panel-${id}`)
  tab.addEventListener('click', () => {
    const top = tab.getBoundingClientRect().top
    store(storageKey, language)
    show(language)
    scrollBy(0, tab.getBoundingClientRect().top - top) // samples above have changed their height
  })
  const panel = document.createElement('div')
  panel.id = `panel-${id}`
  panel.setAttribute('role', 'tabpanel')
  panel.setAttribute('aria-labelledby', tab.id)
  panel.append(details.querySelector('.code'))
  tab.dataset.language = language
  panel.dataset.language = language
  return { tab, panel }
}

function show(wanted) {
  const language =
    document.querySelector(`[role=tab][data-language="${CSS.escape(wanted)}"]`) === null ? 'curl' : wanted
  for (const tab of document.querySelectorAll('[role=tab]')) {
    const isShown = tab.dataset.language === language
    tab.setAttribute('aria-selected', String(isShown))
    tab.tabIndex = isShown ? 0 : -1
  }
  for (const panel of document.querySelectorAll('[role=tabpanel]')) panel.hidden = panel.dataset.language !== language
}

function moveFocus(event, bar) {
  const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key]
  if (step === undefined) return
  const tabs = [...bar.children]
  const next = tabs.at((tabs.indexOf(document.activeElement) + step) % tabs.length)
  next.focus()
  next.click()
  event.preventDefault()
}
