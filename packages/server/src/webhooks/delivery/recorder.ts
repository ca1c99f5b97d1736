import type { Runtime } from '../../core/context.ts'
import { newFailureNotifier, recordLastFailure } from './notify.ts'
import { type EndedAttempt, recordAttempts } from './store.ts'

/** Records ended attempts, many with one statement. */
export interface Recorder {
  add(ended: EndedAttempt): void
  /** Records what was added so far, if the database can be written. */
  close(): Promise<void>
}

/** What follows when attempts are recorded. */
export interface RecordedListener {
  onRecorded(sendoutId: string): void
  onSwitchedOff(webhookId: string): void
}

/** Attempts end one by one; those of this time are recorded together. */
const waitMs = 30
const recordAtOnce = 100
/** While the database cannot be written. */
const retryMs = 1_000

export function newRecorder(runtime: Runtime, { onRecorded, onSwitchedOff }: RecordedListener): Recorder {
  const { log } = runtime
  const { db } = runtime.database
  const notifyOfFailures = newFailureNotifier(runtime)
  let waiting: EndedAttempt[] = []
  let timer: NodeJS.Timeout | undefined
  let recording: Promise<void> = Promise.resolve()
  let isFailing = false
  let isClosing = false

  function record(): void {
    clearTimeout(timer)
    timer = undefined
    recording = recording.then(recordWaiting)
  }

  async function recordWaiting(): Promise<void> {
    const unrecorded = new Set(waiting)
    waiting = []
    if (unrecorded.size === 0) return
    try {
      await recordBatch([...unrecorded], (ended) => {
        unrecorded.delete(ended)
        onRecorded(ended.id)
      })
      isFailing = false
    } catch (error) {
      // Kept and written later. If this node dies before, they are sent a second time.
      waiting = [...unrecorded, ...waiting]
      if (!isFailing) log.warn({ err: error }, 'could not record deliveries to webhooks')
      isFailing = true
      if (!isClosing) timer ??= setTimeout(record, retryMs)
    }
  }

  async function recordBatch(batch: readonly EndedAttempt[], done: (ended: EndedAttempt) => void): Promise<void> {
    const last = batch.filter(isLastFailure)
    const others = batch.filter((each) => !isLastFailure(each))
    if (others.length > 0) await recordAttempts(db, others)
    for (const each of others) done(each)
    for (const each of last) {
      if (await recordLastFailure(runtime, each)) onSwitchedOff(each.webhook_id)
      done(each)
    }
    // Must not fail the batch, which is recorded: it would be recorded again.
    await notifyOfFailures(others.filter(({ is_first, succeeded }) => is_first && !succeeded)).catch((error: unknown) =>
      log.warn({ err: error }, 'could not notify of failed deliveries to webhooks'),
    )
  }

  return {
    add(ended) {
      waiting.push(ended)
      // Somebody waits for a manual attempt.
      if (ended.is_manual || waiting.length >= recordAtOnce) record()
      else timer ??= setTimeout(record, waitMs)
    },
    async close() {
      isClosing = true
      record()
      await recording
    },
  }
}

/** Whether no retry follows. */
const isLastFailure = ({ succeeded, is_manual, next_attempt_at }: EndedAttempt): boolean =>
  !succeeded && !is_manual && next_attempt_at === null
