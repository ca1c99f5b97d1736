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

export const keysUsage = `Usage:\n${keys.replaceAll(/^/gm, '  guerdon ')}`
export const usersUsage = `Usage:\n${users.replaceAll(/^/gm, '  guerdon ')}`

export const auditLogUsage = `Usage:\n  guerdon ${auditLog}`
export const statisticsUsage = `Usage:\n  guerdon ${statistics}`

export const help = `guerdon: a self-hosted promotions, vouchers and loyalty service

  guerdon [serve]     start the service (the default)
  guerdon serve --demo [--project ID]   fill an empty project with a demo shop first
  guerdon demo [--project ID]           fill an empty project with a demo shop, and stop
  guerdon migrate     bring the database up to date, bootstrap it when it is empty, and stop
${keys.replaceAll(/^/gm, '  guerdon ')}
${users.replaceAll(/^/gm, '  guerdon ')}
  guerdon ${auditLog}
  guerdon ${statistics}   add up the statistics of a project again
  guerdon replay FILE [--each]   evaluate stored facts again and explain the result
  guerdon --version   print the version
  guerdon --help      print this

Settings are environment variables: PORT, HOST, DATABASE_URL, GUERDON_DATA_DIR, LOG_LEVEL, AUTH_MODE and more; see docs/reference/settings.md.
`
