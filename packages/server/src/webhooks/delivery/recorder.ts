import type { Runtime } from '../../core/context.ts'
import type { SendoutAttempt } from '../../core/db/tables.ts'
import { isRefusedContent } from '../../core/db/transaction.ts'
import { newNotificationQueue, recordLastFailure } from './notify.ts'
import { type EndedAttempt, recordAttempts } from './record-attempts.ts'

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
  const notifications = newNotificationQueue(runtime)
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
    notifications.add(recorded.filter(({ is_first, succeeded }) => is_first && !succeeded))
    for (const each of batch.filter(isLastFailure))
      await recordRows([each], outcomes, async ([one]) => {
        if (await recordLastFailure(runtime, one as EndedAttempt)) onSwitchedOff(each.webhook_id)
      })
  }

  /**
   * An attempt that the database refuses for what it contains is found by halves, and recorded without what the target answered; the
   * others are recorded as they are. If even that is refused, the send-out stays in hand: this node would send it again and again.
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
      if (rows.length === 1) return recordBare(first, error)
      const half = rows.length >> 1
      const before = await recordRows(rows.slice(0, half), outcomes, write)
      return [...before, ...(await recordRows(rows.slice(half), outcomes, write))]
    }

    async function recordBare(ended: EndedAttempt, refusal: unknown): Promise<readonly EndedAttempt[]> {
      log.warn({ err: refusal, sendout_id: ended.id }, 'the database refused the result of a delivery to a webhook')
      const bare = { ...ended, attempt: bareAttempt(ended.attempt) }
      try {
        await write([bare])
      } catch (error) {
        if (!isRefusedContent(error)) throw error
        outcomes.refused(ended)
        return []
      }
      outcomes.recorded(ended)
      return [bare]
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
      await notifications.close()
    },
  }
}

/** Without texts of the target. */
const bareAttempt = (attempt: SendoutAttempt): SendoutAttempt => ({
  ...attempt,
  error: attempt.error === null ? null : 'the attempt failed; its result could not be stored',
  response_body: null,
})

/** Whether no retry follows. */
const isLastFailure = ({ succeeded, is_manual, next_attempt_at }: EndedAttempt): boolean =>
  !succeeded && !is_manual && next_attempt_at === null
