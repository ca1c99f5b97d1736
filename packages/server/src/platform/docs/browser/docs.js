import { addCopyButtons } from './copy.js'
import { openTarget, watchReferences } from './expand.js'
import { makeTabs } from './samples.js'
import { startSearch } from './search.js'

startTheme()
startSearch()
makeTabs()
addCopyButtons(document)
watchReferences(document)
openTarget()
addEventListener('hashchange', openTarget)

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
