import { hash, randomUUID, timingSafeEqual } from 'node:crypto'

/** Secrets and tokens are stored and compared only as their SHA-256. They are long and random, so no salt is needed. */
export const hashOf = (secret: string): Buffer => hash('sha256', secret, 'buffer')

export const isSecret = (secret: string, stored: Uint8Array): boolean => timingSafeEqual(hashOf(secret), stored)

export const newSecret = (): string => randomUUID()
