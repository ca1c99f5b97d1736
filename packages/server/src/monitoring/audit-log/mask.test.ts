import { expect, test } from 'vitest'
import { longestStretch } from '../../testing/longest-stretch.ts'
import { maskSecrets } from './mask.ts'

test.each([
  // members, wherever they are and however they are written
  ['{"access_token":"abc","expires_in":900}', '{"access_token":"***","expires_in":900}'],
  ['{"a":[{"app_token":"x"},{"App-Token":"y"}]}', '{"a":[{"app_token":"***"},{"App-Token":"***"}]}'],
  ['{"clientSecret" :\n "x"}', '{"clientSecret" :\n "***"}'],
  ['{"password":"with \\" quote","b":1}', '{"password":"***","b":1}'],
  ['{"password":"\\\\","b":"c"}', '{"password":"***","b":"c"}'],
  ['{"pin_password":123456,"b":-1}', '{"pin_password":"***","b":-1}'],
  [
    '{"webhook_token":"x","Authorization":"Bearer x","webhook-signature":"v1,x"}',
    '{"webhook_token":"***","Authorization":"***","webhook-signature":"***"}',
  ],
  ['{"tracking_id":"track_abc","customer":{"source_id":"c1"}}', '{"tracking_id":"***","customer":{"source_id":"c1"}}'],
  ['{"token":null,"secret":true,"token_type":"Bearer"}', '{"token":null,"secret":true,"token_type":"Bearer"}'],
  ['{"access_token":{"nested":"stays"}}', '{"access_token":{"nested":"stays"}}'],
  [
    '{"APP_TOKEN":"x","CLIENT_SECRET":"y","TRACKING_ID":"z"}',
    '{"APP_TOKEN":"***","CLIENT_SECRET":"***","TRACKING_ID":"***"}',
  ],
  ['{"passwd":"x"}', '{"passwd":"***"}'],
  // letters of a name as escapes; an escaped backslash is none
  ['{"acces\\u0073_t\\u006Fken":"x"}', '{"access_token":"***"}'],
  ['{"a":"\\\\u0074oken","b":"\\u0022"}', '{"a":"\\\\u0074oken","b":"\\u0022"}'],
  // what is no JSON, or no longer
  ['{"access_token":"cut in the midd', '{"access_token":"***"'],
  ['{"access_token":"cut in an escape\\', '{"access_token":"***"\\'],
  ["{'client_secret': 'x', 'a': 'b'}", `{'client_secret': "***", 'a': 'b'}`],
  [
    'grant_type=client_credentials&client_secret=x&scope=api',
    'grant_type=client_credentials&client_secret=***&scope=api',
  ],
  // addresses
  [
    '{"url":"https://x.test/v1/exports/exp_1?token=proj.99.sig","n":1}',
    '{"url":"https://x.test/v1/exports/exp_1?token=***","n":1}',
  ],
  ['{"reports":["https://x.test/v1/task-results/aB3_-x"]}', '{"reports":["https://x.test/v1/task-results/***"]}'],
  ['/client/v1/validate?code=A&tracking_id=track_x&amount=1', '/client/v1/validate?code=A&tracking_id=***&amount=1'],
  [
    '/v1/x?customer[tracking_id]=a&customer%5Btracking_id%5D=b',
    '/v1/x?customer[tracking_id]=***&customer%5Btracking_id%5D=***',
  ],
  // what is no secret
  [
    '{"code":"TOKEN","metadata":{"shop":"S1"},"key":"ssn_1"}',
    '{"code":"TOKEN","metadata":{"shop":"S1"},"key":"ssn_1"}',
  ],
  ['', ''],
])('%s', (text, expected) => {
  expect(maskSecrets(text)).toBe(expected)
})

test.each([
  'token',
  'secret',
  'password',
  'passwd',
  'authorization',
  'signature',
  'tracking_id',
  'trackingId',
  'TOKEN',
  'SECRET',
])('the value of %s alone is masked', (name) => {
  expect(maskSecrets(`{"${name}":"x"}`)).toBe(`{"${name}":"***"}`)
})

test.each([
  ['names without values', 'token"'],
  ['open strings', `token":'`],
  ['open strings of both kinds', `token':"\\`],
  ['spaces after a name', `token"${' '.repeat(50)}`],
  ['brackets', 'token]]]]'],
  ['escapes', '\\u0074'],
  ['backslashes', '\\'],
])('the time is proportional to the length: %s', async (_, piece) => {
  const text = piece.repeat(Math.ceil(65_536 / piece.length))
  const { milliseconds } = await longestStretch(async () => maskSecrets(text))
  expect(milliseconds).toBeLessThan(500) // some 2 ms; quadratic time would be a minute
})
