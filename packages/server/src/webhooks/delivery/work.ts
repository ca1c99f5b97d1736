import type { Runtime } from '../../core/context.ts'
import { newDelivery } from './deliver.ts'

/** How often a node looks for what other nodes wrote, or what has become due. */
export const lookIntervalMs = 500

/** Delivers send-outs in this process. Every node does; they share the webhooks among them. */
export function watchSendouts(runtime: Runtime): void {
  const delivery = newDelivery(runtime)
  runtime.jobs.watch('webhooks', delivery.look, { tick_ms: lookIntervalMs, stop: delivery.stop })
}
