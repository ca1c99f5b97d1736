export const appKey = '-H "X-App-Id: $APP_ID" -H "X-App-Token: $APP_TOKEN"'

/** Lines for a shell that set TOKEN: a call with it works whether or not the service wants one beside the key (`AUTH_MODE`). */
export const fetchToken = (origin: string, key: string, scope: 'api' | 'client_api'): string[] => [
  `TOKEN=$(curl -sS '${origin}/v1/oauth/token' ${key} \\`,
  `  -d grant_type=client_credentials -d scope=${scope} | sed 's/.*"access_token":"\\([^"]*\\)".*/\\1/')`,
]
