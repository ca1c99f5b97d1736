export const docsStyle = `
:root { --ink: #1c1f24; --soft: #5b6470; --paper: #fff; --shade: #f4f5f7; --line: #d9dde3; --link: #0b57d0 }
@media (prefers-color-scheme: dark) {
  :root { --ink: #e6e8eb; --soft: #a3abb6; --paper: #15181c; --shade: #1e2228; --line: #353b44; --link: #8ab4f8 }
}
* { box-sizing: border-box }
html { scroll-padding-top: 1rem }
body { margin: 0; display: grid; grid-template-columns: 18rem minmax(0, 1fr); color: var(--ink); background: var(--paper); font: 1rem/1.5 system-ui, sans-serif }
a { color: var(--link) }
.skip { position: absolute; left: -999px }
.skip:focus { left: 1rem; top: 1rem; padding: .5rem; background: var(--paper); z-index: 1 }
nav { position: sticky; top: 0; height: 100vh; overflow: auto; padding: 1rem; border-right: 1px solid var(--line); background: var(--shade); font-size: .875rem }
nav ul { list-style: none; margin: 0; padding: 0 }
nav > ul > li { margin-bottom: .5rem; font-weight: 600 }
nav ul ul { padding-left: .75rem; font-weight: 400 }
nav a { display: block; padding: .1rem 0; color: inherit; text-decoration: none }
nav a:hover { text-decoration: underline }
main { max-width: 60rem; padding: 1rem 2rem 4rem }
h1 small { color: var(--soft); font-weight: 400 }
h2 { margin-top: 3rem; padding-bottom: .25rem; border-bottom: 1px solid var(--line) }
h3 { margin-top: 2.5rem }
h4 { margin: 1.25rem 0 .25rem; font-size: .875rem; color: var(--soft) }
p { margin: .5rem 0 }
code, pre { font: .875em/1.5 ui-monospace, monospace }
code { overflow-wrap: anywhere }
pre { overflow: auto; padding: .75rem; border-radius: .25rem; background: var(--shade) }
.call { padding: .5rem .75rem; border-radius: .25rem; background: var(--shade) }
table { width: 100%; border-collapse: collapse; font-size: .875rem }
th, td { padding: .375rem .5rem; border-bottom: 1px solid var(--line); text-align: left; vertical-align: top }
tbody th { font-weight: 400 }
td p { margin: 0 }
small { color: var(--soft) }
dl { display: grid; grid-template-columns: max-content minmax(0, 1fr); gap: .25rem 1rem; margin: 0; font-size: .875rem }
dd { margin: 0 }
dd p { margin: 0 }
:target { background: var(--shade); box-shadow: 0 0 0 .5rem var(--shade) }
@media (max-width: 50rem) {
  body { display: block }
  nav { position: static; height: auto; max-height: 40vh; border-right: 0; border-bottom: 1px solid var(--line) }
  main { padding: 1rem }
  table { display: block; overflow-x: auto }
}
@media print { nav, .skip { display: none } body { display: block } }
`
