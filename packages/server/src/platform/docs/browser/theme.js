// Before the first paint: the theme that the reader has chosen, otherwise that of the system.
try {
  const chosen = localStorage.getItem('guerdon-docs-theme')
  if (chosen === 'light' || chosen === 'dark') document.documentElement.dataset.theme = chosen
} catch {} // a browser may forbid pages to store anything
