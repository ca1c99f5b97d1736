import { type BinaryLike, randomBytes, scrypt, timingSafeEqual } from 'node:crypto'
import { availableParallelism } from 'node:os'
import { limits } from '../../core/lib/limits.ts'
import { tooManyAttempts } from './brakes.ts'

/*
 * Passwords are stored as `scrypt$N$r$p$salt$key`, so that each can be checked with the parameters it was made with
 * (docs/decisions/0063-passwords-second-factor-openid.md).
 */

interface Parameters {
  /** Memory and time: 128 * N * r bytes. */
  N: number
  r: number
  p: number
}

/** One of the equivalent choices of the OWASP cheat sheet: 32 MiB, of which little memory remains taken by a flood of sign-ins. */
export const standardCost: Parameters = { N: 32_768, r: 8, p: 3 }
let current = standardCost

/** For tests, which sign in a thousand times. */
export function setPasswordCost(cost: Parameters): void {
  current = cost
}

const [saltBytes, keyBytes] = [16, 32]

export async function hashPassword(password: string): Promise<string> {
  const salt = randomBytes(saltBytes)
  return textOf(current, salt, await derive(password, salt, current))
}

function textOf({ N, r, p }: Parameters, salt: Buffer, key: Buffer): string {
  return ['scrypt', N, r, p, salt.toString('base64'), key.toString('base64')].join('$')
}

/** Compared where there is no password, so that an unknown user takes as long as a wrong password. No password has this key. */
const nobody = () => textOf(current, Buffer.alloc(saltBytes), Buffer.alloc(keyBytes))

/** Whether a password is right. Without a stored hash it takes as long, and is wrong. */
export async function isPassword(password: string, stored: string | undefined): Promise<boolean> {
  const { salt, key, ...parameters } = partsOf(stored ?? nobody())
  const derived = await derive(password, salt, parameters)
  return timingSafeEqual(derived, key) && stored !== undefined
}

/** Whether a right password should be hashed again, because the parameters have changed since. */
export function isOutdatedHash(stored: string): boolean {
  const { N, r, p } = partsOf(stored)
  return N !== current.N || r !== current.r || p !== current.p
}

function partsOf(stored: string): Parameters & { salt: Buffer; key: Buffer } {
  const [, N, r, p, salt = '', key = ''] = stored.split('$')
  const bytes = (text: string) => Buffer.from(text, 'base64')
  return { N: Number(N), r: Number(r), p: Number(p), salt: bytes(salt), key: bytes(key) }
}

/** The same text may be typed as different characters: é is one or two. */
const normalised = (password: string): BinaryLike => password.normalize('NFKC')

function derive(password: string, salt: Buffer, parameters: Parameters): Promise<Buffer> {
  return inTurn(
    () =>
      new Promise((resolve, reject) => {
        const options = { ...parameters, maxmem: 256 * parameters.N * parameters.r }
        scrypt(normalised(password), salt, keyBytes, options, (error, key) => (error ? reject(error) : resolve(key)))
      }),
  )
}

let running = 0
const waiting: Array<() => void> = []

/** One core is left to the event loop and the checkout calls it answers, where there are two or more. */
let atOnce = Math.max(1, Math.min(limits.passwords_checked_at_once, availableParallelism() - 1))

/** For a worker of a node: each of them checks passwords, and they share the cores. */
export function setPasswordsAtOnce(count: number): void {
  atOnce = count
}

/**
 * Runs few derivations at a time. Node has four threads for files, names and hashes: a flood of sign-ins must neither take all of them nor
 * 32 MiB for each request.
 */
async function inTurn<T>(work: () => Promise<T>): Promise<T> {
  if (waiting.length >= limits.passwords_waiting_max) throw tooManyAttempts(5_000)
  if (running >= atOnce) await new Promise<void>((resolve) => waiting.push(resolve))
  else running += 1
  try {
    return await work()
  } finally {
    // The next one takes over the place.
    const next = waiting.shift()
    if (next === undefined) running -= 1
    else next()
  }
}
