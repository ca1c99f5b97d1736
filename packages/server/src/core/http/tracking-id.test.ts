import fc from 'fast-check'
import { expect, test } from 'vitest'
import { readTrackingId, sourceIdOf, trackingName, trackingProof } from './tracking-id.ts'

const project = { tracking_secret: 'a secret' }
const sourceIds = fc.string({ minLength: 1, maxLength: 300, unit: 'grapheme' })
const moments = fc.integer({ min: 0, max: Date.UTC(2200, 0) })
const hour = 3_600_000

test('a name and a proof are read back, a proof with its hour of issue', () => {
  fc.assert(
    fc.property(sourceIds, moments, (sourceId, now) => {
      expect(readTrackingId(project, trackingName(project, sourceId))).toEqual({ source_id: sourceId, issued_at: null })
      expect(readTrackingId(project, trackingProof(project, sourceId, now))).toEqual({
        source_id: sourceId,
        issued_at: now - (now % hour),
      })
    }),
  )
})

test('a name of the first release is still read', () => {
  expect(readTrackingId({ tracking_secret: 's' }, 'track_SWqeX5jCTt_VzdYcHChX-5oeK5NrsNzbdxM')).toEqual({
    source_id: 'customer-1',
    issued_at: null,
  })
})

test('no other project, and nobody who changes a character, gets a source id out of it', () => {
  fc.assert(
    fc.property(sourceIds, moments, fc.nat(), fc.constantFrom('A', 'b', '-', '.'), (sourceId, now, place, other) => {
      for (const token of [trackingName(project, sourceId), trackingProof(project, sourceId, now)]) {
        expect(readTrackingId({ tracking_secret: 'another secret' }, token)).toBeNull()
        const at = 'track_'.length + (place % (token.length - 'track_'.length))
        const changed = token.slice(0, at) + other + token.slice(at + 1)
        if (changed !== token) expect(readTrackingId(project, changed)).toBeNull()
        for (const longer of [`${token}=`, `${token}!!`]) expect(readTrackingId(project, longer)).toBeNull()
      }
    }),
  )
})

test('a name cannot be passed off as a proof, nor any other text as a token', () => {
  const [name, proof] = [trackingName(project, 'ann'), trackingProof(project, 'ann', 0)]
  expect(readTrackingId(project, name.replace('track_', 'track_v2.'))).toBeNull()
  expect(readTrackingId(project, proof.replace('track_v2.', 'track_'))).toBeNull()
  for (const text of ['', 'ann', 'track_', 'track_v2.', 'track_ann', 'track_v2.AAAA', 'track_AAAAAAAAAAAAAAAAAAAAAAAA'])
    expect(sourceIdOf(project, text)).toBe(text)
})
