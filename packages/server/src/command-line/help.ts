const keys = `keys list [--project ID]
keys create --name NAME [--kind server|integration|client|management] [--role ROLE] [--project ID]
keys revoke ID`

const users = `users list [--project ID]
users invite EMAIL [--owner | [--project ID] [--role ROLE]] [--first-name NAME] [--last-name NAME]
users reset EMAIL [--second-factor]
users owner EMAIL [--no]
users remove EMAIL`

const auditLog = 'audit-log erase TEXT [--project ID]'
const statistics = 'statistics rebuild [--project ID]'
const exportProject = 'export [--project ID] [--out FILE] [--gzip]'
const importProject = 'import FILE [--project ID | --as NEW_ID]'
const shadow = `shadow --log FILE --app-id ID --app-token TOKEN [--base URL] [--redeem] [--report FILE]
shadow --listen [HOST:]PORT --upstream URL --app-id ID --app-token TOKEN [--base URL] [--log FILE] [--redeem] [--report FILE]`

const importAccount = `import voucherify --app-id ID --app-token TOKEN [--base URL] [--project ID] [--folder DIR] [--only LIST,…]
                   [--management-id ID --management-token TOKEN --management-project ID]`

export const keysUsage = `Usage:\n${keys.replaceAll(/^/gm, '  guerdon ')}`
export const usersUsage = `Usage:\n${users.replaceAll(/^/gm, '  guerdon ')}`

export const auditLogUsage = `Usage:\n  guerdon ${auditLog}`
export const statisticsUsage = `Usage:\n  guerdon ${statistics}`
export const exportUsage = `Usage:\n  guerdon ${exportProject}`
export const importUsage = `Usage:\n  guerdon ${importProject}`
export const shadowUsage = `Usage:\n${shadow.replaceAll(/^/gm, '  guerdon ')}`

export const importAccountUsage = `Usage:\n  guerdon ${importAccount}`

export const help = `guerdon: a self-hosted promotions, vouchers and loyalty service

  guerdon [serve]     start the service (the default)
  guerdon serve --demo [--project ID]   fill an empty project with a demo shop first
  guerdon demo [--project ID]           fill an empty project with a demo shop, and stop
  guerdon migrate     bring the database up to date, bootstrap it when it is empty, and stop
${keys.replaceAll(/^/gm, '  guerdon ')}
${users.replaceAll(/^/gm, '  guerdon ')}
  guerdon ${auditLog}
  guerdon ${statistics}   add up the statistics of a project again
  guerdon ${exportProject}   write everything that a project owns as JSON lines
  guerdon ${importProject}   read such a file (- is standard input) into a new or an empty project
  guerdon ${importAccount}
${shadow.replaceAll(/^/gm, '  guerdon ')}
                      compare our answers with those of the service in use: from a log, or as a proxy in front of it
  guerdon replay FILE [--each]   evaluate stored facts again and explain the result
  guerdon --version   print the version
  guerdon --help      print this

Settings are environment variables: PORT, HOST, DATABASE_URL, GUERDON_DATA_DIR, LOG_LEVEL, AUTH_MODE and more; see docs/reference/settings.md.
`
