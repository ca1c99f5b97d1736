/** Pages of the repository outside of docs/, and the pages that include them whole. */
export const includedPages: Readonly<Record<string, string>> = {
  'CHANGELOG.md': 'docs/project/changelog.md',
  'CONTRIBUTING.md': 'docs/project/contributing.md',
  'SECURITY.md': 'docs/project/security.md',
}

/** Where links to these and to README.md lead: its first call is a page of its own. */
export const projectPages: Readonly<Record<string, string>> = {
  ...includedPages,
  'README.md': 'docs/start/five-minutes.md',
}
