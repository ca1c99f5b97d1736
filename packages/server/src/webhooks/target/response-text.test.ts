import { expect, test } from 'vitest'
import { responseText } from './response-text.ts'

const utf8 = (text: string) => Buffer.from(text)

test.each<[string, Buffer[], number, string | null]>([
  ['nothing', [], 10, null],
  ['empty parts', [utf8(''), utf8('')], 10, null],
  ['a short text', [utf8('grüß')], 10, 'grüß'],
  ['a character in two parts', [utf8('ü').subarray(0, 1), utf8('ü').subarray(1)], 10, 'ü'],
  ['a character that the limit cuts', [utf8('aaaü').subarray(0, 4)], 4, 'aaa'],
  ['an emoji that the limit cuts', [utf8('a😀').subarray(0, 4)], 4, 'a'],
  ['U+0000', [utf8('a\0b')], 10, 'a\uFFFDb'],
  ['invalid bytes', [Buffer.from([0x61, 0xff, 0x62])], 10, 'a\uFFFDb'],
  ['an encoded surrogate', [Buffer.from([0xed, 0xa0, 0x80])], 100, '\uFFFD\uFFFD\uFFFD'],
  // Ten invalid bytes are thirty as U+FFFD: three whole characters fit.
  ['invalid bytes that grow', [Buffer.alloc(10, 0xff)], 10, '\uFFFD'.repeat(3)],
  ['zeros that grow', [Buffer.alloc(10)], 10, '\uFFFD'.repeat(3)],
])('%s', (_what, chunks, bytesMax, text) => {
  expect(responseText(chunks, bytesMax)).toBe(text)
})
