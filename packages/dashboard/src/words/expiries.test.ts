import { expect, test } from 'vitest'
import { newFormat } from '../ui/format.tsx'
import { expiriesOf } from './expiries.ts'

const format = newFormat('EUR', 'UTC')
const bucket = (totalPoints: number, expiresAt?: string) => ({
  bucket: { total_points: totalPoints },
  expires_at: expiresAt,
})

test('few days are said one by one, without empty ones', () => {
  const buckets = [bucket(25, '2026-11-18'), bucket(0, '2026-11-20'), bucket(100)]
  expect(expiriesOf(buckets, format)).toEqual([
    { when: '18 Nov 2026', points: 25 },
    { when: 'Never', points: 100 },
  ])
})

test('many days are added up by month', () => {
  const days = [1, 2, 3, 4, 28].map((day) => bucket(10, `2026-11-${String(day).padStart(2, '0')}`))
  const buckets = [...days, bucket(1, '2026-12-31'), bucket(2, '2027-01-01'), bucket(100)]
  expect(expiriesOf(buckets, format)).toEqual([
    { when: 'In November 2026', points: 50 },
    { when: 'In December 2026', points: 1 },
    { when: 'In January 2027', points: 2 },
    { when: 'Never', points: 100 },
  ])
})
