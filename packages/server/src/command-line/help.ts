const serve = `[serve]
serve --demo [--project ID]`
const demo = 'demo [--project ID]'
const replay = 'replay FILE [--each]'
const distribute = 'distribute [--check] [--shards NUMBER]'

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
const archive = `archive --before DATE [--out FOLDER] [--only events|audit-log] [--project ID | --drop]
archive --read FILE
archive --restore FILE`
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
export const archiveUsage = `Usage:\n${archive.replaceAll(/^/gm, '  guerdon ')}`
export const shadowUsage = `Usage:\n${shadow.replaceAll(/^/gm, '  guerdon ')}`

export const importAccountUsage = `Usage:\n  guerdon ${importAccount}`

const secretsApart =
  'GUERDON_APP_TOKEN and GUERDON_MANAGEMENT_TOKEN in the environment replace the tokens: there the list of processes does not show them.'

interface CommandHelp {
  /** A line per form, without `guerdon`. The options that it names are those that the command takes. */
  forms: string
  about: string
}

/** Of each command, what `guerdon COMMAND --help` prints. */
const commands: Readonly<Record<string, CommandHelp>> = {
  serve: {
    forms: serve,
    about: `Starts the service, and stops it at SIGTERM or SIGINT (a second one ends it at once). The first start makes the keys.
--demo       fill an empty project with a demo shop first
--project    which one, if there are several`,
  },
  demo: { forms: demo, about: 'Fills an empty project with a demo shop, and stops.' },
  migrate: { forms: 'migrate', about: 'Brings the database up to date, bootstraps it when it is empty, and stops.' },
  distribute: {
    forms: distribute,
    about: `Distributes a migrated database by project over the workers of Citus. Repeat it after each guerdon migrate: it does what is missing.
--check      change nothing, say what is missing, and exit with 1 if anything is
--shards     in how many parts the projects are divided, 16 by default; it cannot be changed by this command later`,
  },
  keys: {
    forms: keys,
    about: `Lists, creates and revokes keys. A secret is printed once, when it is created.
--kind       server by default; a management key belongs to no project
--role       ADMIN by default
--project    needed if there are several`,
  },
  users: {
    forms: users,
    about: `Lists users, invites them, and makes links that set a password. A link is a secret for 24 hours.
--owner          may do everything in all projects; otherwise a role in one project
--second-factor  also switch the second factor off, for somebody who has lost it
--no             take the rights of an owner away`,
  },
  'audit-log': { forms: auditLog, about: 'Erases a text, such as a mail address, from the audit log of a project.' },
  statistics: { forms: statistics, about: 'Adds up the statistics of a project again.' },
  export: {
    forms: exportProject,
    about: `Writes everything that a project owns as JSON lines, beside nodes that serve.
--project    needed if there are several
--out        the file, which only its owner can read; standard output by default, whose file is as readable as the shell makes it
--gzip       compress it; an import notices`,
  },
  import: {
    forms: importProject,
    about: `Reads a file of guerdon export (- is standard input). If it fails or is interrupted, nothing is left.
Without an option the project gets the id and the keys that it had.
--as         make a copy with this id, such as proj_staging: without keys, its webhooks switched off
--project    fill this project, which exists and is empty; its webhooks are switched off`,
  },
  archive: {
    forms: archive,
    about: `Writes old events and entries of the audit log into compressed JSON lines, beside nodes that serve: whole months of events, whole days
of the log. Each file is read again before anything is dropped. The same command goes on where it was interrupted.
--before     a date in UTC: what ends before it
--out        the folder, the present one by default
--project    only the rows of this project
--drop       drop from the database what was written
--read       print the rows of a file
--restore    put the rows of a file back; webhooks are not called`,
  },
  'import voucherify': {
    forms: importAccount,
    about: `Copies a Voucherify account into a folder, and the folder into an empty project. The same command goes on where it was interrupted.
--base       the address of its API, https://api.voucherify.io by default
--project    the project to fill; needed if there are several
--folder     where the copy is kept, voucherify-<app id> by default
--only       read only these lists
--management-…   needed for stacking rules and event schemas
${secretsApart}
The exit code is 0, or 2 if something was left out, which the report names, or 1 if it failed.`,
  },
  shadow: {
    forms: shadow,
    about: `Compares our answers with those of the service in use: from a log, or as a proxy in front of it until SIGINT or SIGTERM.
--base       where Guerdon is, http://127.0.0.1:PORT by default
--log        the log to replay, or of the proxy the log to append to
--redeem     really redeem what was redeemed: for a project that you throw away
--report     a file for the report as JSON, which only its owner can read
${secretsApart}
The exit code of a replay is 0 if all answers are equal, otherwise 1, also if there was nothing to compare.`,
  },
  replay: {
    forms: replay,
    about: `Evaluates stored facts again and explains the result. It needs no database.
--each       each redeemable alone, as qualifications do`,
  },
}

/** What is printed about one command; about all of them if there is no such command. */
export function helpFor(command: string | undefined): string {
  const found = command === undefined ? undefined : commands[command]
  if (found === undefined) return help
  return `Usage:\n${found.forms.replaceAll(/^(?! )/gm, '  guerdon ')}\n\n${found.about}\n`
}

/** An option that the command does not take: it was meant for something else, which would not happen. */
export function whyNotOptions(command: string, given: readonly string[]): string | null {
  const found = commands[command]
  const foreign = found && given.find((name) => !new RegExp(`--${name}(?![a-z-])`).test(found.forms))
  return foreign === undefined ? null : `guerdon ${command} has no option --${foreign}. Try guerdon ${command} --help.`
}

const help = `guerdon: a self-hosted promotions, vouchers and loyalty service

  guerdon [serve]     start the service (the default)
  guerdon serve --demo [--project ID]   fill an empty project with a demo shop first
  guerdon ${demo}           fill an empty project with a demo shop, and stop
  guerdon migrate     bring the database up to date, bootstrap it when it is empty, and stop
  guerdon ${distribute}   distribute the database by project over several servers
${keys.replaceAll(/^/gm, '  guerdon ')}
${users.replaceAll(/^/gm, '  guerdon ')}
  guerdon ${auditLog}
  guerdon ${statistics}   add up the statistics of a project again
  guerdon ${exportProject}   write everything that a project owns as JSON lines
  guerdon ${importProject}   read such a file (- is standard input) into a new or an empty project
  guerdon ${importAccount}
                      copy a Voucherify account into an empty project
${archive.replaceAll(/^/gm, '  guerdon ')}
                      write old events and audit entries into files, read or restore them
${shadow.replaceAll(/^/gm, '  guerdon ')}
                      compare our answers with those of the service in use: from a log, or as a proxy in front of it
  guerdon ${replay}   evaluate stored facts again and explain the result
  guerdon --version   print the version
  guerdon --help      print this; guerdon COMMAND --help prints more about a command

Settings are environment variables: PORT, HOST, DATABASE_URL, GUERDON_DATA_DIR, LOG_LEVEL, AUTH_MODE and more: docs/reference/settings.md, or /guides/reference/settings.html of a running service.
`
