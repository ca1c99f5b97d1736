import { addCopyButtons } from './copy.js'
import { openTarget, watchReferences } from './expand.js'
import { makeTabs } from './samples.js'
import { startSearch } from './search.js'

startTheme()
showCurrentEntry()
startSearch()
makeTabs()
addCopyButtons(document)
watchReferences(document)
openTarget()
addEventListener('hashchange', openTarget)

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
    localStorage.setItem('guerdon-docs-theme', root.dataset.theme)
    name()
  })
  button.hidden = false
  name()
}
