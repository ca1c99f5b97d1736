import { expect, test } from 'vitest'
import { longestStretch } from '../../testing/longest-stretch.ts'
import { maskSecrets } from './mask.ts'

const json = JSON.stringify

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
  // values that are arrays or objects, also cut ones
  ['{"access_token":{"nested":{"a":"}"}},"b":[1]}', '{"access_token":"***","b":[1]}'],
  ['{"token":["a","b]\\""],"c":[1]}', '{"token":"***","c":[1]}'],
  ['{"tokens":["x"],"passwords":"y"}', '{"tokens":"***","passwords":"***"}'],
  ['{"token":["cut', '{"token":"***"'],
  // any mixture of small letters and capitals
  ['{"PassWord":"x","ToKeN":"y","SeCrEt":"z"}', '{"PassWord":"***","ToKeN":"***","SeCrEt":"***"}'],
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
  ["{'client_secret': 'x', 'a': 'b'}", `{'client_secret': '***', 'a': 'b'}`],
  [
    'grant_type=client_credentials&client_secret=x&scope=api',
    'grant_type=client_credentials&client_secret=***&scope=api',
  ],
  ['{token:\'x\',"b":1}', '{token:\'***\',"b":1}'],
  ['{token:"x", password: 12, b: 1}', '{token:"***", password: ***, b: 1}'],
  ['{"a":"Authorization: Bearer x","b":1}', '{"a":"Authorization: ***","b":1}'],
  [
    'curl -H "Authorization: Basic eDp5" -H "X-App-Token: 0123456789-abcdef"',
    'curl -H "Authorization: ***" -H "X-App-Token: ***"',
  ],
  ['{"a":"sent Bearer 0123456789abcdef"}', '{"a":"sent Bearer ***"}'],
  // JSON in a string, and the end of a string after a name
  [json({ a: json({ access_token: 'x"y\\', n: 1 }) }), json({ a: json({ access_token: '***', n: 1 }) })],
  [json({ a: json({ b: json({ token: ['x"]'], n: 1 }) }) }), json({ a: json({ b: json({ token: '***', n: 1 }) }) })],
  [json({ a: '{"token":"cut in the midd', b: 1 }), json({ a: '{"token":"***"', b: 1 })],
  [json({ a: "{'token': ['x'], 'secret': 'y'}" }), json({ a: "{'token': '***', 'secret': '***'}" })],
  [json({ a: 'x token":', b: 'c' }), json({ a: 'x token":', b: 'c' })],
  [json({ a: 'the token:', b: 'c' }), json({ a: 'the token:', b: 'c' })],
  // addresses
  ['/v1/x?tracking%5Fid=a&tok%65n=b&c=d', '/v1/x?tracking%5Fid=***&tok%65n=***&c=d'],
  ['/v1/x?tokens[]=a&tokens%5B0%5D=b&c=d', '/v1/x?tokens[]=***&tokens%5B0%5D=***&c=d'],
  [
    '/v1/x?to=https%3A%2F%2Fx.test%3Faccess_token%3Da%26b%3D1&c=d',
    '/v1/x?to=https%3A%2F%2Fx.test%3Faccess_token%3D***%26b%3D1&c=d',
  ],
  ['/v1/x?q=%7B%22token%22%3A%22a%22%2C%22b%22%3A1%7D&c=d', '/v1/x?q=%7B%22token%22%3A%22***%22%2C%22b%22%3A1%7D&c=d'],
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
  // tracking ids that prove a customer, wherever they are
  ['/client/v1/customers/track_v2.aB3_-x/consents', '/client/v1/customers/track_v2.***/consents'],
  ['/client/v1/vouchers?customer=track_v2.aB3&a=b', '/client/v1/vouchers?customer=track_v2.***&a=b'],
  ['/client/v1/vouchers?customer=track%5fv%32%2E%61B3&a=b', '/client/v1/vouchers?customer=track%5fv%32%2E***&a=b'],
  [json({ a: "Ambiguous trackingId ('track_v2.aB3')" }), json({ a: "Ambiguous trackingId ('track_v2.***')" })],
  ['{"customer":"track\\u005fv2\\u002eaB3","b":"track_name"}', '{"customer":"track_v2.***","b":"track_name"}'],
  // fields of fields, spaces before the separator, slashes as JSON may write them
  [
    '/v1/x?filters[metadata.token][conditions][$is][0]=a&filters%5Btoken%5D%5Bconditions%5D%5B%24is%5D=b&c=d',
    '/v1/x?filters[metadata.token][conditions][$is][0]=***&filters%5Btoken%5D%5Bconditions%5D%5B%24is%5D=***&c=d',
  ],
  ['/v1/x?token%20=a&secret+=b&c=d', '/v1/x?token%20=***&secret+=***&c=d'],
  [
    String.raw`{"a":"https:\/\/x.test\/v1\/task-results\/aB3","b":1}`,
    String.raw`{"a":"https:\/\/x.test\/v1\/task-results\/***","b":1}`,
  ],
  // credentials in a URL, and after the name of their scheme
  ['{"a":"https://ann:pw@x.test/b?c=@d","b":"ann@x.test"}', '{"a":"https://***@x.test/b?c=@d","b":"ann@x.test"}'],
  [String.raw`{"a":"smtp:\/\/ann:pw@x.test"}`, String.raw`{"a":"smtp:\/\/***@x.test"}`],
  ['https://a:b@x https://x.test/@y //c@z', 'https://***@x https://x.test/@y //***@z'],
  ['/v1/x?to=https%3A%2F%2Fann%3Apw%40x.test%2Fy&c=a%40b', '/v1/x?to=https%3A%2F%2F***%40x.test%2Fy&c=a%40b'],
  ['{"auth":"Basic eDp5","b":"Basic subscription"}', '{"auth":"Basic ***","b":"Basic subscription"}'],
  ['/v1/x?auth=Basic%20eDp5eg%3D%3D&c=d', '/v1/x?auth=Basic%20***&c=d'],
  // what is no secret
  [
    '{"key":"ssn_1","keyword":"a","monkey":"b","api_key_id":"c","basic":"d","stacking_id":"e"}',
    '{"key":"ssn_1","keyword":"a","monkey":"b","api_key_id":"c","basic":"d","stacking_id":"e"}',
  ],
  [
    '{"code":"TOKEN","metadata":{"shop":"S1"},"key":"ssn_1"}',
    '{"code":"TOKEN","metadata":{"shop":"S1"},"key":"ssn_1"}',
  ],
  [
    '{"a":"Bearer token is required, 10% off %41","b":"password: wrong"}',
    '{"a":"Bearer token is required, 10% off %41","b":"password: wrong"}',
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
  'secret_key',
  'secretKey',
  'api_key',
  'x-api-key',
  'apiKey',
  'private_key',
  'accessKey',
  'credentials',
  'credential',
  'passphrase',
  'pwd',
  'Cookie',
  'set-cookie',
  'jwt',
  'password_confirmation',
  'passwordConfirmation',
  'token_value',
])('the value of %s alone is masked', (name) => {
  expect(maskSecrets(`{"${name}":"x"}`)).toBe(`{"${name}":"***"}`)
  expect(maskSecrets(`/v1/x?${name}=y&%61=b`)).toBe(`/v1/x?${name}=***&%61=b`)
})

test.each([
  ['names without values', 'token"'],
  ['open strings', `token":'`],
  ['open strings of both kinds', `token':"\\`],
  ['spaces after a name', `token"${' '.repeat(50)}`],
  ['brackets', 'token]]]]'],
  ['escapes', '\\u0074'],
  ['backslashes', '\\'],
  ['names without quotes', 'token:"'],
  ['arrays', 'token":['],
  ['arrays in single quotes', `token':['`],
  ['JSON in a string', '\\"token\\":\\"'],
  ['fields of fields', 'token[a]'],
  ['encoded names', 'tok%65n'],
  ['encoded separators', 'token%3D'],
  ['encoded JSON', 'token%22%3A%22%25'],
  ['encoded percent signs', '%25'],
  ['tracking ids', 'track_v2.'],
  ['headers', 'authorization: bearer  '],
  ['fields in brackets', 'token[token]'],
  ['fields in brackets that are encoded', 'token[%5D'],
  ['fields in open brackets', '[token[$a.b'],
  ['spaces before a separator', `token${' '.repeat(50)}`],
  ['keys', 'secret_key'],
  ['schemes', 'basic  aaaa'],
  ['user names', '//a@'],
  ['encoded user names', '%2f%2fa%41'],
  ['letters of parts', 'k'],
  ['parts', 'keykenkie'],
  ['at signs', '@'],
])('the time is proportional to the length: %s', async (_, piece) => {
  const text = piece.repeat(Math.ceil(65_536 / piece.length))
  const { milliseconds } = await longestStretch(async () => maskSecrets(text))
  expect(milliseconds).toBeLessThan(500) // some 2 ms; quadratic time would be a minute
})
