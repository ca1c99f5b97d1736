import type { Runtime } from '../../core/context.ts'
import { isRefusedContent } from '../../core/db/transaction.ts'
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

/** What became of each attempt of a batch. */
interface Outcomes {
  recorded(ended: EndedAttempt): void
  refused(ended: EndedAttempt): void
}

/** Attempts end one by one; those of this time are recorded together. */
const waitMs = 100
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
      await recordBatch([...unrecorded], {
        recorded(ended) {
          unrecorded.delete(ended)
          onRecorded(ended.id)
        },
        refused: (ended) => void unrecorded.delete(ended),
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

  async function recordBatch(batch: readonly EndedAttempt[], outcomes: Outcomes): Promise<void> {
    const others = batch.filter((each) => !isLastFailure(each))
    const recorded = await recordRows(others, outcomes, (some) => recordAttempts(db, some))
    for (const each of batch.filter(isLastFailure))
      await recordRows([each], outcomes, async () => {
        if (await recordLastFailure(runtime, each)) onSwitchedOff(each.webhook_id)
      })
    // Must not fail the batch, which is recorded: it would be recorded again.
    await notifyOfFailures(recorded.filter(({ is_first, succeeded }) => is_first && !succeeded)).catch(
      (error: unknown) => log.warn({ err: error }, 'could not notify of failed deliveries to webhooks'),
    )
  }

  /**
   * An attempt that the database refuses for what it contains is found by halves and left out; the others are recorded and returned.
   * The send-out of a refused one stays in hand: this node would send it again and again.
   */
  async function recordRows(
    rows: readonly EndedAttempt[],
    outcomes: Outcomes,
    write: (rows: readonly EndedAttempt[]) => Promise<unknown>,
  ): Promise<readonly EndedAttempt[]> {
    const [first] = rows
    if (first === undefined) return []
    try {
      await write(rows)
      for (const each of rows) outcomes.recorded(each)
      return rows
    } catch (error) {
      if (!isRefusedContent(error)) throw error
      if (rows.length === 1) {
        log.warn({ err: error, sendout_id: first.id }, 'the database refused the result of a delivery to a webhook')
        outcomes.refused(first)
        return []
      }
      const half = rows.length >> 1
      const before = await recordRows(rows.slice(0, half), outcomes, write)
      return [...before, ...(await recordRows(rows.slice(half), outcomes, write))]
    }
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
