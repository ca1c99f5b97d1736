import { expect, test } from 'vitest'
import { ApiError } from '../http/errors.ts'
import { isOutage } from './outage.ts'

const withCode = (code: string) => Object.assign(new Error('as it comes from the driver'), { code })

test.each([
  ['the server shuts down', withCode('57P01')],
  ['the server has crashed', withCode('57P02')],
  ['the server is starting, or recovering', withCode('57P03')],
  ['the server only reads: it is a standby, or no longer the primary', withCode('25006')],
  ['the connection breaks', withCode('08006')],
  ['the connection cannot be established', withCode('08001')],
  ['a pooler has lost its server', withCode('08P01')],
  ['the disk is full', withCode('53100')],
  ['a lock timeout', withCode('55P03')],
  ['a deadlock after five attempts', withCode('40P01')],
  ['the database does not listen', withCode('ECONNREFUSED')],
  ['the socket is reset', withCode('ECONNRESET')],
  ['the driver lost its connection', new Error('Connection terminated unexpectedly')],
  ['the pool is exhausted', new Error('timeout exceeded when trying to connect')],
])('retried: %s', (_, error) => expect(isOutage(error)).toBe(true))

test.each([
  ['a refusal', new ApiError('duplicate_found')],
  ['a duplicate', withCode('23505')],
  ['a bad value', withCode('22003')],
  ['a wrong statement', withCode('42703')],
  ['an argument of the wrong type', withCode('ERR_INVALID_ARG_TYPE')],
  ['a bug', new TypeError('undefined is not a function')],
  ['anything at all', 'text'],
  ['nothing', undefined],
])('not retried: %s', (_, error) => expect(isOutage(error)).toBe(false))
