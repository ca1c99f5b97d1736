import type { BootstrapResult, KeyPair } from '../account/installation/bootstrap.ts'
import type { Settings } from '../core/settings.ts'

/** The text printed at start. Only the first start shows the keys and a call to try: the database stores hashes of the secrets. */
export function welcome(
  address: string,
  firstStart: BootstrapResult | null,
  { auth_mode }: Pick<Settings, 'auth_mode'>,
): string {
  const where = `Guerdon is ready on ${address}   (reference: ${address}/docs)\n`
  if (firstStart === null)
    return `${where}Keys were shown at the first start; "guerdon keys create --name NAME" makes more (npm start -- keys create --name NAME).\n`
  return `${where}\n${keyLines(firstStart)}\nTry it:\n\n${firstCall(address, firstStart.application, auth_mode)}\n`
}

export function keyLines({ project_id, project_name, application, client, management }: BootstrapResult): string {
  return [
    `Project ${project_id} (${project_name}). Its keys are shown only now, keep them:`,
    '',
    pairLines('X-App-Id', 'X-App-Token', application),
    pairLines('X-Client-Application-Id', 'X-Client-Token', client),
    pairLines('X-Management-Id', 'X-Management-Token', management),
  ].join('\n')
}

function pairLines(idHeader: string, tokenHeader: string, { id, token, is_generated }: KeyPair): string {
  const secret = is_generated ? token : '(as set in the environment)'
  return `  ${`${idHeader}:`.padEnd(25)}${id}\n  ${`${tokenHeader}:`.padEnd(25)}${secret}\n`
}

/** A curl command that creates a category. In strict mode it fetches an access token first. */
function firstCall(address: string, { id, token, is_generated }: KeyPair, authMode: Settings['auth_mode']): string {
  const pair = `-H 'X-App-Id: ${id}' -H 'X-App-Token: ${is_generated ? token : '…'}'`
  const create = `-H 'Content-Type: application/json' -d '{"name":"Summer sale","hierarchy":1}'`
  if (authMode === 'either') return `  curl ${address}/v1/categories ${pair} \\\n    ${create}\n`
  return [
    `  TOKEN=$(curl -s ${address}/v1/oauth/token ${pair} \\`,
    `    -d grant_type=client_credentials -d scope=api | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
    `  curl ${address}/v1/categories ${pair} -H "Authorization: Bearer $TOKEN" \\`,
    `    ${create}`,
    '',
  ].join('\n')
}
