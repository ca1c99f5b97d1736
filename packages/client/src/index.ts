export { addressOf } from './address.ts'
export type { CallOptions, SharedOptions } from './call.ts'
export type { ErrorKey } from './generated/error-keys.ts'
export type {
  ClientOperations,
  Operations,
  Routes,
  Schemas,
  ServerOperations,
  SessionOperations,
} from './generated/operations.ts'
export type { EventShapes, WebhookData } from './generated/webhook-data.ts'
export {
  createGuerdon,
  createGuerdonClientSide,
  type Guerdon,
  type GuerdonClientSide,
  type GuerdonClientSideOptions,
  type GuerdonOptions,
} from './guerdon.ts'
export { type Failure, GuerdonError, type NoAnswer, type Refusal, type Result, type Success, unwrap } from './result.ts'
export type { RetryOptions } from './send.ts'
export { verifyWebhook, type WebhookEvent, type WebhookHeaders, type WebhookProblem } from './webhook.ts'
