import { addCopyButtons } from './copy.js'
import { openTarget, watchReferences } from './expand.js'
import { makeTabs } from './samples.js'
import { startSearch } from './search.js'
import { store } from './stored.js'

startTheme()
foldContents()
showCurrentEntry()
startSearch()
makeTabs()
addCopyButtons(document)
watchReferences(document)
openTarget()
addEventListener('hashchange', openTarget)

/** On a narrow window the contents are closed, so that a page begins with what it is about. */
function foldContents() {
  const fold = document.querySelector('nav details')
  const narrow = matchMedia('(max-width: 50rem)')
  const follow = () => {
    fold.open = !narrow.matches
  }
  narrow.addEventListener('change', follow)
  follow()
}

/** The contents scroll by themselves, and begin at their top on every page. */
function showCurrentEntry() {
  const contents = document.querySelector('nav')
  const top = (element) => element.getBoundingClientRect().top
  const entry = contents.querySelector('[aria-current]')
  const below = entry === null ? 0 : top(entry) - top(contents)
  if (below > contents.clientHeight * 0.8) contents.scrollTop += below - contents.clientHeight / 3
}

function startTheme() {
  const button = document.getElementById('theme-switch')
  const root = document.documentElement
  const current = () => root.dataset.theme ?? (matchMedia('(prefers-color-scheme: dark)').matches ? 'dark' : 'light')
  const other = () => (current() === 'dark' ? 'light' : 'dark')
  const name = () => {
    button.textContent = other() === 'dark' ? 'Dark' : 'Light'
  }
  button.addEventListener('click', () => {
    root.dataset.theme = other()
    store('guerdon-docs-theme', root.dataset.theme)
    name()
  })
  button.hidden = false
  name()
}
